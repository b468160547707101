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

    init(nodeCountMax: Int) {
        self.nodeCountMax = nodeCountMax
    }

    /// Adds the value of a pair.
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
            case .member(let member):
                node = child(node, member, pair)
            case .append:
                node = element(node, name.steps[(position + 1)...], pair)
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

    /// Builds the tree of the values added so far.
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
        // An array cannot hold two values at one index; an object can, under one name.
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
