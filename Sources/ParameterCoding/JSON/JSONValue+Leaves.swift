extension JSONValue {
    /// A pending step of the tree traversal.
    private enum Visit {
        case value(JSONValue)
        case member(Member)
        case end(isObject: Bool)
    }

    /// The leaves in order: at most `countMax`, and none after the leaf whose path and value bring
    /// the total text to `textByteCountMax` bytes.
    public func leaves(
        countMax: Int = 100_000,
        textByteCountMax: Int = 16 << 20
    ) -> [JSONLeaf] {
        var leaves: [JSONLeaf] = []
        var textByteCount = 0
        func add(_ path: String, _ value: String?) {
            leaves.append(JSONLeaf(path: path, value: value))
            textByteCount += path.utf8.count + (value?.utf8.count ?? 0)
        }
        var path = JSONPath()
        var visits: [Visit] = [.value(self)]
        while leaves.count < countMax, textByteCount < textByteCountMax,
            let visit = visits.popLast()
        {
            switch visit {
            case .member(let member):
                let name = Array(member.name.utf8)
                path.enterMember(name.span)
                visits.append(.value(member.value))
            case .value(.array(let elements)):
                path.beginContainer(isObject: false)
                visits.append(.end(isObject: false))
                visits.append(contentsOf: elements.reversed().map { .value($0) })
            case .value(.object(let members)):
                path.beginContainer(isObject: true)
                visits.append(.end(isObject: true))
                visits.append(contentsOf: members.reversed().map { .member($0) })
            case .value(let scalar):
                path.enterElement()
                add(path.text, scalar.scalarText)
            case .end(let isObject):
                guard path.endContainer() else { continue }
                add(path.text, isObject ? "{}" : "[]")
            }
        }
        return leaves
    }

    /// The text of a scalar; nil for null.
    private var scalarText: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): text
        case .null, .array, .object: nil
        }
    }
}
