/// A query or form interpreted as a tree: the likely meaning of names such as `a[b][]`, `a[0]` and
/// `a.b`, with every guess that was made.
///
/// The tree is only a view: the pairs themselves are what was sent.
public struct ParameterTree: Sendable, Hashable {
    /// The tree; its root is an object. Values are strings, or null for a bare name.
    public let parameter: Parameter
    /// The guesses, each once per name, in the order of the pairs that required them.
    public let guesses: [ParameterGuess]

    /// Builds the tree of pairs, without empty ones (`a&&b`). Takes time linear in the length of
    /// the names and values.
    /// - Parameter dotsNest: Whether `a.b` is the member b of a, or just a name.
    /// - Throws: if the tree would have more values than the limit.
    public static func view(
        of pairs: EncodedPairs, limits: ParameterTreeLimits = ParameterTreeLimits(),
        dotsNest: Bool = true
    ) throws(ParameterTreeError) -> ParameterTree {
        var builder = ParameterTreeBuilder(nodeCountMax: limits.valueCountMax)
        for (position, pair) in pairs.pairs.enumerated() where !pair.ranges.isEmpty {
            let path = ParameterName(pair.name, depthMax: limits.depthMax, dotsNest: dotsNest)
            let value = pair.value.map { Parameter.string($0) } ?? .null
            try builder.add(value, at: path, pair: position)
        }
        return builder.tree()
    }
}

/// Bounds on the tree that is built from pairs.
public struct ParameterTreeLimits: Sendable, Hashable {
    /// The maximum number of levels below the root; deeper names are kept as text. The value is
    /// capped at 512: freeing a tree uses stack for each level.
    public let depthMax: Int
    /// The maximum number of values in the tree, with containers and the names in them.
    public let valueCountMax: Int

    public init(depthMax: Int = URLEncoding.depthMax, valueCountMax: Int = 2 << 20) {
        self.depthMax = min(depthMax, 512)
        self.valueCountMax = valueCountMax
    }
}

public enum ParameterTreeError: Error, Sendable, Hashable {
    case tooManyValues
}

extension ParameterTreeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooManyValues: "the pairs hold more values than the limit"
        }
    }
}

/// An ambiguity in names, and the interpretation that was chosen.
public struct ParameterGuess: Sendable, Hashable {
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// `a[b]` is the member b of a.
        case nestedByBrackets
        /// `a.b` is the member b of a.
        case nestedByDots
        /// `a[]` is an element of the array a.
        case arrayByBrackets
        /// `a[0]`, `a[1]` are elements of the array a.
        case arrayByIndices
        /// `a[1]` came before `a[0]`: the array has the order of the indices.
        case indicesOutOfOrder
        /// `a[0]`, `a[7]`: an object, since an array would have gaps.
        case gapsInIndices
        /// `a[0]`, `a[x]`, `a[]`: an object; the members written as `a[]` have empty names.
        case mixedKeys
        /// `a[][x]`: the boundaries between elements are not sent. A member that already exists
        /// starts the next element.
        case ambiguousElements
        /// `a=1&a=2` is an array.
        case repeatedName
        /// `a=1&a[b]=2`: two members of the same name.
        case valueAndContainer
        /// `a[b`, `a]`, `a[b]c`: brackets that do not form a path; the whole name is text.
        case bracketsAsText
        /// `.a`, `a..b`: dots that do not form a path; the whole name is text.
        case dotsAsText
        /// More levels than the limit: the whole name is text.
        case tooDeep
    }

    public let kind: Kind
    /// The position of the first pair that required the guess. For a guess about a whole container,
    /// this is the first pair inside it.
    public let pair: Int

    public init(kind: Kind, pair: Int) {
        self.kind = kind
        self.pair = pair
    }
}

/// Builds a tree from names and values: first the nesting of names, then, once all are known, which
/// containers are arrays and which are objects.
struct ParameterTreeBuilder {
    /// A step from a node to a child. Canonically equivalent names are different names.
    private struct Edge: Hashable {
        let parent: Int
        let name: [UInt8]
    }

    private let nodeCountMax: Int
    /// Parents come before their children; the first node is the root.
    private var nodes = [ParameterNode(name: "", isAppended: false, pair: 0)]
    private var places: [Edge: Int] = [:]
    private var valueCount = 0

    init(nodeCountMax: Int) { self.nodeCountMax = nodeCountMax }

    mutating func add(
        _ value: Parameter, at name: ParameterName, pair: Int
    ) throws(ParameterTreeError) {
        valueCount += 1
        var node = 0
        for (position, step) in name.steps.enumerated() {
            switch name.notations[position] {
            case .plain: break
            case .brackets: nodes[node].hasBrackets = true
            case .dot: nodes[node].hasDots = true
            }
            switch step {
            case .member(let member): node = child(node, member, pair)
            case .append: node = element(node, name.steps[(position + 1)...], pair)
            }
            guard nodes.count + valueCount <= nodeCountMax else { throw .tooManyValues }
        }
        if nodes[node].values.isEmpty, !nodes[node].children.isEmpty {
            nodes[node].containerCameFirst = true
        }
        nodes[node].values.append(value)
        if nodes[node].textGuess == nil { nodes[node].textGuess = name.problem }
    }

    private mutating func child(_ parent: Int, _ name: String, _ pair: Int) -> Int {
        let edge = Edge(parent: parent, name: Array(name.utf8))
        if let node = places[edge] { return node }
        let node = append(ParameterNode(name: name, isAppended: false, pair: pair), to: parent)
        places[edge] = node
        return node
    }

    private mutating func append(_ node: ParameterNode, to parent: Int) -> Int {
        nodes.append(node)
        nodes[parent].children.append(nodes.count - 1)
        return nodes.count - 1
    }

    /// The element that `[]` denotes: the last one, as long as the rest of the path is new in it.
    private mutating func element(
        _ parent: Int, _ rest: ArraySlice<ParameterName.Step>, _ pair: Int
    ) -> Int {
        if case .member = rest.first {
            nodes[parent].hasAmbiguousElements = true
            if let last = nodes[parent].children.last, nodes[last].isAppended,
                nodes[last].values.isEmpty, !has(last, rest)
            {
                return last
            }
        }
        return append(ParameterNode(name: "", isAppended: true, pair: pair), to: parent)
    }

    /// Whether a node already contains a value at this path. A further `[]` can always be appended.
    private func has(_ node: Int, _ rest: ArraySlice<ParameterName.Step>) -> Bool {
        var node = node
        for step in rest {
            guard case .member(let name) = step,
                let next = places[Edge(parent: node, name: Array(name.utf8))]
            else { return false }
            node = next
        }
        return true
    }

    // MARK: Result

    consuming func tree() -> ParameterTree {
        let made = nodes.indices.flatMap { guesses(of: $0) }
        // From the last node to the first, so that children are built before their parents.
        var containers: [Parameter?] = Array(repeating: nil, count: nodes.count)
        for number in nodes.indices.reversed() where number == 0 || !nodes[number].children.isEmpty
        {
            containers[number] = container(number, &containers)
        }
        return ParameterTree(
            parameter: (containers.first ?? nil) ?? .object([]),
            guesses: made.enumerated()
                .sorted { ($0.element.pair, $0.offset) < ($1.element.pair, $1.offset) }
                .map(\.element)
        )
    }

    private func container(_ number: Int, _ containers: inout [Parameter?]) -> Parameter {
        let node = nodes[number]
        let isArray = number > 0 && shape(node).isArray
        var elements: [Parameter] = []
        var members: [Parameter.Member] = []
        for number in isArray ? sorted(node.children) : node.children {
            let child = nodes[number]
            var parts: [Parameter] = []
            if let inside = containers[number] {
                parts.append(inside)
                containers[number] = nil
            }
            if let value = child.values.count > 1 ? .array(child.values) : child.values.first {
                parts.insert(value, at: child.containerCameFirst ? parts.count : 0)
            }
            elements += isArray ? parts : []
            members += isArray ? [] : parts.map { Parameter.Member(child.name, $0) }
        }
        return isArray ? .array(elements) : .object(members)
    }

    /// Children sorted by their indices, which are complete and unique.
    private func sorted(_ children: [Int]) -> [Int] {
        var sorted = children
        for child in children {
            if let index = nodes[child].index, sorted.indices.contains(index) {
                sorted[index] = child
            }
        }
        return sorted
    }

    /// Whether a container is an array, and the guesses on which this is based.
    private func shape(_ node: ParameterNode) -> (isArray: Bool, guesses: [ParameterGuess.Kind]) {
        let appendedCount = node.children.count { nodes[$0].isAppended }
        if appendedCount == node.children.count, appendedCount > 0 {
            return (true, [.arrayByBrackets])
        }
        if appendedCount > 0 { return (false, [.mixedKeys]) }
        let indices = node.children.compactMap { nodes[$0].index }
        guard !indices.isEmpty else { return (false, []) }
        guard indices.count == node.children.count else { return (false, [.mixedKeys]) }
        // Different names are different numbers, so they are dense if none is too large.
        guard indices.allSatisfy({ $0 < indices.count }) else { return (false, [.gapsInIndices]) }
        // An array cannot have two values at one index; an object can, under one name.
        if node.children.contains(where: { nodes[$0].isBoth }) { return (false, []) }
        let isOrdered = indices.enumerated().allSatisfy { $0.offset == $0.element }
        return (true, isOrdered ? [.arrayByIndices] : [.arrayByIndices, .indicesOutOfOrder])
    }

    private func guesses(of number: Int) -> [ParameterGuess] {
        let node = nodes[number]
        var kinds: [ParameterGuess.Kind] = []
        if let textGuess = node.textGuess { kinds.append(textGuess) }
        if number > 0, !node.children.isEmpty {
            let shapeGuesses = shape(node).guesses
            kinds += shapeGuesses
            if node.hasBrackets, shapeGuesses.isEmpty { kinds.append(.nestedByBrackets) }
            if node.hasDots { kinds.append(.nestedByDots) }
            if node.hasAmbiguousElements { kinds.append(.ambiguousElements) }
        }
        if node.values.count > 1 { kinds.append(.repeatedName) }
        if node.isBoth { kinds.append(.valueAndContainer) }
        return kinds.map { ParameterGuess(kind: $0, pair: node.pair) }
    }
}

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

/// The path that the name of a pair may denote.
struct ParameterName {
    enum Step: Hashable {
        /// A member of the root, or `[b]` or `.b`.
        case member(String)
        /// `[]`.
        case append
    }

    enum Notation {
        case plain
        case brackets
        case dot
    }

    private(set) var steps: [Step] = []
    private(set) var notations: [Notation] = []
    /// Why the name is treated as text although it contains brackets or dots.
    private(set) var problem: ParameterGuess.Kind?

    init(_ name: String, depthMax: Int, dotsNest: Bool) {
        var name = name
        name.withUTF8 { bytes in
            problem =
                ParameterName.isPlain(bytes, dotsNest)
                ? nil : parse(bytes, max(1, depthMax), dotsNest)
        }
        guard problem != nil || steps.isEmpty else { return }
        steps = [.member(name)]
        notations = [.plain]
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ dotsNest: Bool) -> Bool {
        !bytes.contains { $0 == 0x5B || $0 == 0x5D || ($0 == 0x2E && dotsNest) }
    }

    /// Parses the steps one after another; returns the reason if the name is not a path.
    private mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ depthMax: Int, _ dotsNest: Bool
    ) -> ParameterGuess.Kind? {
        var index = 0
        var notation = Notation.plain
        while true {
            // A word up to the next bracket or dot.
            let start = index
            while index < bytes.count, !isMark(bytes[index], dotsNest) { index += 1 }
            guard index > start else {
                return index < bytes.count && bytes[index] == 0x2E || index == bytes.count
                    ? .dotsAsText : .bracketsAsText
            }
            let member = Step.member(text(bytes[start..<index]))
            if let problem = add(member, notation, depthMax) { return problem }
            while index < bytes.count, bytes[index] == 0x5B {
                if let problem = addBrackets(bytes, &index, depthMax) { return problem }
            }
            guard index < bytes.count else { return nil }
            guard dotsNest, bytes[index] == 0x2E else { return .bracketsAsText }
            notation = .dot
            index += 1
        }
    }

    private mutating func addBrackets(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ depthMax: Int
    ) -> ParameterGuess.Kind? {
        let start = index + 1
        var end = start
        while end < bytes.count, bytes[end] != 0x5D, bytes[end] != 0x5B { end += 1 }
        guard end < bytes.count, bytes[end] == 0x5D else { return .bracketsAsText }
        index = end + 1
        let step = end == start ? Step.append : .member(text(bytes[start..<end]))
        return add(step, .brackets, depthMax)
    }

    private mutating func add(
        _ step: Step, _ notation: Notation, _ depthMax: Int
    ) -> ParameterGuess.Kind? {
        guard steps.count < depthMax else { return .tooDeep }
        steps.append(step)
        notations.append(notation)
        return nil
    }

    private func isMark(_ byte: UInt8, _ dotsNest: Bool) -> Bool {
        byte == 0x5B || byte == 0x5D || (byte == 0x2E && dotsNest)
    }

    private func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
