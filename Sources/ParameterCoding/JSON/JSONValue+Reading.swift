extension JSONValue {
    /// The value at a path; nil if there is none. If several members share a name, the last one is
    /// used.
    public func value(at path: JSONValuePath) -> JSONValue? {
        var value = self
        for step in path.steps {
            switch (value, step) {
            case (.object(let members), .member(let name)):
                // Compares bytes: Swift treats canonically equivalent names as equal.
                guard
                    let member = members.last(where: { $0.name.utf8.elementsEqual(name.utf8) })
                else { return nil }
                value = member.value
            case (.array(let elements), .element(let position)):
                guard elements.indices.contains(position) else { return nil }
                value = elements[position]
            default:
                return nil
            }
        }
        return value
    }
}
