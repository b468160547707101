/// A value of a tree under construction.
struct ParameterNode {
    /// The name in the surrounding object; empty for an element written as `[]`.
    let name: String
    /// Whether it was written as `[]`.
    let isAppended: Bool
    /// The index that the name denotes in canonical form; nil if it is not one.
    let index: Int?
    /// The first pair that required the node.
    let pair: Int
    /// The values assigned to the name itself.
    var values: [Parameter] = []
    /// The indices of child nodes, in order.
    var children: [Int] = []
    /// Whether children were added before the first value.
    var containerCameFirst = false
    var hasBrackets = false
    var hasDots = false
    var hasAmbiguousElements = false
    /// Why the name was treated as text.
    var textGuess: ParameterGuess.Kind?

    init(name: String, isAppended: Bool, pair: Int) {
        self.name = name
        self.isAppended = isAppended
        self.pair = pair
        index = isAppended ? nil : ParameterNode.index(name)
    }

    /// Whether both a value and a container have the name.
    var isBoth: Bool { !values.isEmpty && !children.isEmpty }

    /// `0`, or digits without a leading zero; eighteen digits always fit.
    private static func index(_ name: String) -> Int? {
        let digits = name.utf8
        guard (1...18).contains(digits.count), digits.allSatisfy(Byte.isDigit),
            digits.first != 0x30 || digits.count == 1
        else { return nil }
        return Int(name)
    }
}
