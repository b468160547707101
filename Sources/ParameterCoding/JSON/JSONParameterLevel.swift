/// A container of JSON that is becoming a parameter.
struct JSONParameterLevel {
    /// What is left of an object; nil for an array.
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

    /// The next child to be made.
    mutating func next() -> JSONValue? {
        guard let member = members?.popFirst() else { return elements.popFirst() }
        name = member.name
        return member.value
    }

    /// Takes the child that `next()` gave.
    mutating func append(_ child: Parameter) {
        if members == nil {
            madeElements.append(child)
        } else {
            madeMembers.append(Parameter.Member(name, child))
        }
    }

    /// What was made.
    var parameter: Parameter { members == nil ? .array(madeElements) : .object(madeMembers) }
}
