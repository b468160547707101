/// A value of a tree that is being built.
struct ParameterNode {
    /// The name in the object around it; empty for an element that came as `[]`.
    let name: String
    /// Whether it came as `[]`.
    let isAppended: Bool
    /// The number that the name is, in the one form that an index has; nil where it is none.
    let index: Int?
    /// The first pair that needed it.
    let pair: Int
    /// What was given to the name itself.
    var values: [Parameter] = []
    /// Numbers of the nodes inside, in order.
    var children: [Int] = []
    /// Whether children came before the first value.
    var containerCameFirst = false
    var hasBrackets = false
    var hasDots = false
    var hasAmbiguousElements = false
    /// Why the name was taken as text.
    var textGuess: ParameterGuess.Kind?

    init(name: String, isAppended: Bool, pair: Int) {
        self.name = name
        self.isAppended = isAppended
        self.pair = pair
        index = isAppended ? nil : ParameterNode.index(name)
    }

    /// Whether both a value and a container have the name.
    var isBoth: Bool { !values.isEmpty && !children.isEmpty }

    /// `0`, or digits that do not begin with `0`; eighteen of them always fit.
    private static func index(_ name: String) -> Int? {
        let digits = name.utf8
        guard (1...18).contains(digits.count), digits.allSatisfy(Octet.isDigit),
            digits.first != 0x30 || digits.count == 1
        else { return nil }
        return Int(name)
    }
}
