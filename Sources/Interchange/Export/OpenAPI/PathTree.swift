internal import ProxydExchangeContent

/// The paths of captured requests, segment by segment. Segments that are values become one branch;
/// so do branches at the end, when enough of them lead to the same operations.
struct PathTree {
    private static let nodeCountMax = 20_000
    private static let siblingCountMin = 3
    private static let depthMax = 64

    /// The operations of a path, and the servers that have it.
    struct Endpoint {
        var operations: [String: OperationGuess] = [:]
        var servers: Set<String> = []

        mutating func merge(_ other: Endpoint) {
            servers.formUnion(other.servers)
            for (method, operation) in other.operations {
                operations[method, default: OperationGuess()].merge(operation)
            }
        }
    }

    private struct Node {
        var children: [String: Node] = [:]
        /// The branch of segments that are values, at most one, and their shape.
        var value: [Node] = []
        var shape = SegmentShape.integer
        var endpoint: Endpoint?

        mutating func merge(_ other: Node) {
            if let end = other.endpoint {
                var own = endpoint ?? Endpoint()
                own.merge(end)
                endpoint = own
            }
            for (name, child) in other.children { children[name, default: Node()].merge(child) }
            if let child = other.value.first {
                shape = value.isEmpty ? other.shape : max(shape, other.shape)
                var own = value.popLast() ?? Node()
                own.merge(child)
                value = [own]
            }
        }

        /// What is equal in branches that differ in a value; nil if nothing tells that.
        var signature: String? {
            var parts: [String] = []
            var tells = false
            for (method, operation) in (endpoint?.operations ?? [:]).sorted(by: { $0.key < $1.key })
            {
                let found = operation.signature
                tells = tells || found != nil
                parts.append("\(method) \(found ?? "")")
            }
            for (name, child) in children.sorted(by: { $0.key < $1.key }) {
                let found = child.signature
                tells = tells || found != nil
                parts.append("/\(name){\(found ?? "")}")
            }
            if let found = value.first?.signature {
                tells = true
                parts.append("/*{\(found)}")
            }
            return tells ? parts.joined(separator: ";") : nil
        }
    }

    private var root = Node()
    private var nodeCount = 0

    /// Changes the endpoint of a path; does nothing if there are too many.
    mutating func update(_ path: String, _ change: (inout Endpoint) -> Void) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.count <= PathTree.depthMax else { return }
        PathTree.update(&root, segments[...], &nodeCount, change)
    }

    private static func update(
        _ node: inout Node, _ segments: ArraySlice<Substring>, _ nodeCount: inout Int,
        _ change: (inout Endpoint) -> Void
    ) {
        guard let first = segments.first else {
            var endpoint = node.endpoint ?? Endpoint()
            change(&endpoint)
            node.endpoint = endpoint
            return
        }
        let rest = segments.dropFirst()
        if let shape = SegmentShape(first) {
            node.shape = node.value.isEmpty ? shape : max(node.shape, shape)
            var child = node.value.popLast() ?? Node()
            update(&child, rest, &nodeCount, change)
            node.value = [child]
            return
        }
        let name = String(first)
        if node.children[name] == nil {
            guard nodeCount < nodeCountMax else { return }
            nodeCount += 1
        }
        update(&node.children[name, default: Node()], rest, &nodeCount, change)
    }

    /// A path with the parameters in it.
    struct Template {
        let path: String
        let parameters: [(name: String, shape: SegmentShape)]
        let endpoint: Endpoint
    }

    /// All paths as templates, sorted.
    func templates() -> [Template] {
        var root = root
        PathTree.collapse(&root)
        var templates: [Template] = []
        PathTree.collect(root, "", [], "", &templates)
        return templates.sorted { $0.path < $1.path }
    }

    /// Makes one branch of those that differ in nothing but their first segment.
    private static func collapse(_ node: inout Node) {
        for name in node.children.keys {
            if var child = node.children[name] {
                collapse(&child)
                node.children[name] = child
            }
        }
        if var child = node.value.popLast() {
            collapse(&child)
            node.value = [child]
        }
        let groups = Dictionary(grouping: node.children.keys) { node.children[$0]?.signature ?? "" }
        let valued = node.value.first?.signature
        for (signature, names) in groups where !signature.isEmpty {
            guard names.count >= siblingCountMin || signature == valued else { continue }
            var child = node.value.popLast() ?? Node()
            for name in names.sorted() {
                if let same = node.children.removeValue(forKey: name) { child.merge(same) }
            }
            node.value = [child]
            node.shape = .text
        }
    }

    private static func collect(
        _ node: Node, _ path: String, _ parameters: [(name: String, shape: SegmentShape)],
        _ before: String, _ templates: inout [Template]
    ) {
        if let endpoint = node.endpoint {
            templates.append(
                Template(
                    path: path.isEmpty ? "/" : path, parameters: parameters, endpoint: endpoint))
        }
        for (name, child) in node.children {
            // Braces are for parameters.
            let shown = name.replacing("{", with: "%7B").replacing("}", with: "%7D")
            collect(child, "\(path)/\(shown)", parameters, name, &templates)
        }
        if let child = node.value.first {
            let name = parameterName(before, parameters.map(\.name))
            collect(
                child, "\(path)/{\(name)}", parameters + [(name, node.shape)], "", &templates)
        }
    }

    /// `userId` behind `users`.
    private static func parameterName(_ before: String, _ taken: [String]) -> String {
        var word = ""
        var startsWord = false
        for character in before where word.count < 40 {
            if character.isASCII, character.isLetter || character.isNumber {
                word += startsWord && !word.isEmpty ? character.uppercased() : String(character)
                startsWord = false
            } else {
                startsWord = true
            }
        }
        if word.hasSuffix("ies") {
            word = word.dropLast(3) + "y"
        } else if word.hasSuffix("ses") || word.hasSuffix("xes") {
            word = String(word.dropLast(2))
        } else if word.hasSuffix("s"), !word.hasSuffix("ss") {
            word = String(word.dropLast())
        }
        let name = word.isEmpty ? "id" : "\(word)Id"
        guard taken.contains(name) else { return name }
        return "\(name)\(taken.count + 1)"
    }
}
