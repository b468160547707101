/// A JSON value as written: members in order, with duplicate names, and numbers as text.
public enum JSONValue: Sendable, Hashable {
    public struct Member: Sendable, Hashable {
        /// The name, unescaped.
        public let name: String
        public let value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The digits as written, without rounding.
    case number(String)
    /// The unescaped text; a lone surrogate is replaced by U+FFFD.
    case string(String)
    case array([JSONValue])
    /// Members in document order, including those with equal names.
    case object([Member])

    /// The value at a path; nil if there is none. Of members that share a name, the last one.
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
            default: return nil
            }
        }
        return value
    }

    /// A copy with another value at a path; order, duplicates and digits of everything else are
    /// preserved. Missing members and elements along the path are appended to their containers.
    /// - Throws: if the path does not fit the value.
    public func setting(
        _ value: JSONValue, at path: JSONValuePath
    ) throws(JSONPathError) -> JSONValue {
        // A value for a longer path could not be freed: each level uses stack.
        guard path.steps.count <= 1_024 else { throw .badPath }
        var around: [JSONValue] = []
        var positions: [Int] = []
        var place = self
        var new = value
        for (index, step) in path.steps.enumerated() {
            let position = try place.position(of: step, stepIndex: index)
            around.append(place)
            positions.append(position)
            guard let inside = place.child(at: position) else {
                new = try JSONValue.made(value, path.steps[(index + 1)...])
                break
            }
            place = inside
        }
        for index in around.indices.reversed() {
            new = around[index].replacing(path.steps[index], at: positions[index], with: new)
        }
        return new
    }

    /// A copy without the value at a path; if several members share the name, all are removed.
    /// - Throws: if the path does not fit the containers of the value.
    public func removing(at path: JSONValuePath) throws(JSONPathError) -> JSONValue {
        guard let lastStep = path.steps.last else { throw .rootCannotBeRemoved }
        var around: [JSONValue] = []
        var positions: [Int] = []
        var place = self
        for (index, step) in path.steps.dropLast().enumerated() {
            // A missing value is not an error, but a path that cannot exist is.
            let position: Int
            do throws(JSONPathError) {
                position = try place.position(of: step, stepIndex: index)
            } catch {
                if case .noSuchElement = error { return self }
                throw error
            }
            guard let inside = place.child(at: position) else { return self }
            around.append(place)
            positions.append(position)
            place = inside
        }
        var new = try place.removingChild(lastStep, stepIndex: path.steps.count - 1)
        for index in around.indices.reversed() {
            new = around[index].replacing(path.steps[index], at: positions[index], with: new)
        }
        return new
    }

    // MARK: Pieces

    /// The position that a step denotes: the last member with the name, or the end if missing.
    private func position(
        of step: JSONValuePath.Step, stepIndex: Int
    ) throws(JSONPathError) -> Int {
        switch (self, step) {
        case (.object(let members), .member(let name)):
            return members.lastIndex { $0.name.utf8.elementsEqual(name.utf8) } ?? members.count
        case (.array(let elements), .element(let position)):
            guard (0...elements.count).contains(position) else {
                throw .noSuchElement(stepIndex: stepIndex)
            }
            return position
        default: throw .wrongContainer(stepIndex: stepIndex)
        }
    }

    private func child(at position: Int) -> JSONValue? {
        switch self {
        case .object(let members):
            members.indices.contains(position) ? members[position].value : nil
        case .array(let elements): elements.indices.contains(position) ? elements[position] : nil
        default: nil
        }
    }

    /// A copy of this container with a child replaced, or appended.
    private func replacing(
        _ step: JSONValuePath.Step, at position: Int, with new: JSONValue
    ) -> JSONValue {
        switch (self, step) {
        case (.object(var members), .member(let name)):
            let member = Member(name: name, value: new)
            if position < members.count { members[position] = member } else { members += [member] }
            return .object(members)
        case (.array(var elements), _):
            if position < elements.count { elements[position] = new } else { elements += [new] }
            return .array(elements)
        default: return self
        }
    }

    private func removingChild(
        _ step: JSONValuePath.Step, stepIndex: Int
    ) throws(JSONPathError) -> JSONValue {
        switch (self, step) {
        case (.object(var members), .member(let name)):
            members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            return .object(members)
        case (.array(var elements), .element(let position)):
            if elements.indices.contains(position) { elements.remove(at: position) }
            return .array(elements)
        default: throw .wrongContainer(stepIndex: stepIndex)
        }
    }

    /// Wraps a value in the containers along a path.
    private static func made(
        _ value: JSONValue, _ steps: ArraySlice<JSONValuePath.Step>
    ) throws(JSONPathError) -> JSONValue {
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
}

extension Parameter {
    /// Converts a JSON value to a parameter. A number becomes `int` or `uint` if that has the same
    /// digits, otherwise `decimal`: nothing is rounded.
    public init(_ value: JSONValue) {
        // A loop, because JSON may be nested too deeply for recursion on a small stack.
        var levels: [JSONParameterLevel] = []
        var finished = Parameter.scalar(value, orOpen: &levels)
        while let last = levels.indices.last {
            if let child = finished { levels[last].append(child) }
            if let child = levels[last].next() {
                finished = Parameter.scalar(child, orOpen: &levels)
            } else {
                finished = levels.removeLast().parameter
            }
        }
        self = finished ?? .null
    }

    /// The parameter of a scalar; nil for a container, which is pushed as a level.
    private static func scalar(
        _ value: JSONValue, orOpen levels: inout [JSONParameterLevel]
    ) -> Parameter? {
        switch value {
        case .null: return .null
        case .bool(let isTrue): return .bool(isTrue)
        case .number(let digits): return number(digits)
        case .string(let text): return .string(text)
        case .array(let elements): levels.append(JSONParameterLevel(elements: elements))
        case .object(let members): levels.append(JSONParameterLevel(members: members))
        }
        return nil
    }

    private static func number(_ digits: String) -> Parameter {
        if let number = Int64(digits), number.description == digits { return .int(number) }
        if let number = UInt64(digits), number.description == digits { return .uint(number) }
        return .decimal(digits)
    }
}

/// A JSON container that is being converted to a parameter.
struct JSONParameterLevel {
    /// The remaining members of an object; nil for an array.
    private var members: ArraySlice<JSONValue.Member>?
    private var elements: ArraySlice<JSONValue>
    private var madeElements: [Parameter] = []
    private var madeMembers: [Parameter.Member] = []
    private var name = ""

    init(elements: [JSONValue]) {
        members = nil
        self.elements = elements[...]
    }

    init(members: [JSONValue.Member]) {
        self.members = members[...]
        elements = []
    }

    mutating func next() -> JSONValue? {
        guard let member = members?.popFirst() else { return elements.popFirst() }
        name = member.name
        return member.value
    }

    /// Adds the converted form of the child that `next()` returned.
    mutating func append(_ child: Parameter) {
        if members == nil {
            madeElements.append(child)
        } else {
            madeMembers.append(Parameter.Member(name, child))
        }
    }

    var parameter: Parameter { members == nil ? .array(madeElements) : .object(madeMembers) }
}
