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

    /// The next child to convert.
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

    /// The converted container.
    var parameter: Parameter { members == nil ? .array(madeElements) : .object(madeMembers) }
}
