extension JSONValue {
    /// This value with another one at a path; everything else stays, order, duplicates and digits
    /// included. What is missing on the way is made, at the end of its container.
    /// - Throws: where the path leads nowhere.
    public func setting(
        _ value: JSONValue, at path: JSONValuePath
    ) throws(JSONPathError) -> JSONValue {
        // A value made for a longer path could not be freed: each level takes stack.
        guard path.steps.count <= 1_024 else { throw .badPath }
        return try setting(value, path.steps[...])
    }

    /// This value without the one at a path; of members that share the name, all go.
    /// - Throws: where the path asks for something that cannot be there.
    public func removing(at path: JSONValuePath) throws(JSONPathError) -> JSONValue {
        guard !path.steps.isEmpty else { throw .rootCannotBeRemoved }
        return try removing(path.steps[...])
    }

    // The steps keep their places of the whole path: that is what errors tell. Each step goes one
    // level deeper into a value, so the value's depth bounds the calls.

    private func setting(
        _ value: JSONValue, _ steps: ArraySlice<JSONValuePath.Step>
    ) throws(JSONPathError) -> JSONValue {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var members), .member(let name)):
            let found = members.lastIndex { $0.name.utf8.elementsEqual(name.utf8) }
            let inside = found.map { members[$0].value }
            let new = Member(name: name, value: try JSONValue.set(value, in: inside, rest))
            if let found { members[found] = new } else { members.append(new) }
            return .object(members)
        case (.array(var elements), .element(let position)):
            guard (0...elements.count).contains(position) else {
                throw .noSuchElement(stepIndex: steps.startIndex)
            }
            let isNew = position == elements.count
            let new = try JSONValue.set(value, in: isNew ? nil : elements[position], rest)
            if isNew { elements.append(new) } else { elements[position] = new }
            return .array(elements)
        default:
            throw .wrongContainer(stepIndex: steps.startIndex)
        }
    }

    private static func set(
        _ value: JSONValue, in inside: JSONValue?, _ steps: ArraySlice<JSONValuePath.Step>
    ) throws(JSONPathError) -> JSONValue {
        if let inside { return try inside.setting(value, steps) }
        var made = value
        for (index, step) in zip(steps.indices, steps).reversed() {
            switch step {
            case .member(let name): made = .object([Member(name: name, value: made)])
            case .element(0): made = .array([made])
            case .element: throw .noSuchElement(stepIndex: index)
            }
        }
        return made
    }

    private func removing(
        _ steps: ArraySlice<JSONValuePath.Step>
    ) throws(JSONPathError) -> JSONValue {
        guard let step = steps.first else { return self }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var members), .member(let name)):
            if rest.isEmpty {
                members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            } else if let found = members.lastIndex(where: {
                $0.name.utf8.elementsEqual(name.utf8)
            }) {
                let inside = try members[found].value.removing(rest)
                members[found] = Member(name: members[found].name, value: inside)
            }
            return .object(members)
        case (.array(var elements), .element(let position)):
            guard elements.indices.contains(position) else { return self }
            if rest.isEmpty {
                elements.remove(at: position)
            } else {
                elements[position] = try elements[position].removing(rest)
            }
            return .array(elements)
        default:
            throw .wrongContainer(stepIndex: steps.startIndex)
        }
    }
}
