/// A node of the tree under construction; several encoders may share it.
final class TreeNode {
    private enum Content {
        case nothing
        case value(Parameter)
        case elements([TreeNode])
        case set([TreeNode])
        case members([Member])
    }

    private struct Member {
        let name: String
        var node: TreeNode
    }

    private var content = Content.nothing
    /// The position of each member by its name in UTF-8 (Swift treats equivalent names as equal);
    /// built once there are enough members to make a linear search slow.
    private var memberIndices: [[UInt8]: Int] = [:]
    private static let searchedMemberCountMax = 16

    /// Sets a single value, replacing any previous content.
    func set(_ value: Parameter) { content = .value(value) }

    /// Makes this an empty array unless it already is an array.
    func becomeArray() {
        if case .elements = content { return }
        content = .elements([])
    }

    /// Makes this an empty object unless it already is an object.
    func becomeObject() {
        if case .members = content { return }
        memberIndices = [:]
        content = .members([])
    }

    /// Marks the order of the elements as insignificant.
    func elementsBecomeSet() {
        if case .elements(let nodes) = content { content = .set(nodes) }
    }

    /// Sorts members by name, or alternating keys and values by the keys' text: a dictionary has no
    /// order.
    func sortMembers() {
        if case .elements(let nodes) = content { return sortPairs(nodes) }
        guard case .members(var members) = content else { return }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        memberIndices = [:]
        content = .members(members)
    }

    private func sortPairs(_ nodes: [TreeNode]) {
        guard nodes.count.isMultiple(of: 2) else { return }
        let pairs = stride(from: 0, to: nodes.count, by: 2).map { index in
            let key = nodes[index].parameter()
            let text = if case .string(let text) = key { text } else { String(describing: key) }
            return (text: text.utf8, nodes: nodes[index...index + 1])
        }
        content = .elements(
            pairs.sorted { $0.text.lexicographicallyPrecedes($1.text) }.flatMap(\.nodes))
    }

    /// The number of elements of an array.
    var elementCount: Int {
        if case .elements(let nodes) = content { return nodes.count }
        return 0
    }

    /// Appends a new element to an array.
    func appendElement() -> TreeNode {
        let node = TreeNode()
        if case .elements(var nodes) = content {
            // Release it first, so that the array is changed in place.
            content = .nothing
            nodes.append(node)
            content = .elements(nodes)
        }
        return node
    }

    /// The member with a name, appended if there is none yet.
    func member(_ name: String) -> TreeNode {
        let node = TreeNode()
        guard case .members(var members) = content else { return node }
        if let index = memberIndex(name, in: members) { return members[index].node }
        content = .nothing
        members.append(Member(name: name, node: node))
        remember(name, at: members.count - 1)
        content = .members(members)
        return node
    }

    private func memberIndex(_ name: String, in members: [Member]) -> Int? {
        if members.count <= TreeNode.searchedMemberCountMax {
            return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        }
        if memberIndices.count < members.count {
            for (index, member) in members.enumerated() {
                memberIndices[Array(member.name.utf8)] = index
            }
        }
        return memberIndices[Array(name.utf8)]
    }

    private func remember(_ name: String, at index: Int) {
        if index > TreeNode.searchedMemberCountMax { memberIndices[Array(name.utf8)] = index }
    }

    /// The finished value. A node to which nothing was written is an empty object.
    func parameter() -> Parameter {
        switch content {
        case .nothing: .object([])
        case .value(let value): value
        case .elements(let nodes): .array(nodes.map { $0.parameter() })
        case .set(let nodes): .set(nodes.map { $0.parameter() })
        case .members(let members):
            .object(members.map { Parameter.Member($0.name, $0.node.parameter()) })
        }
    }
}
