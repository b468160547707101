/// A container of a JSON text that is being written.
struct JSONLevel {
    /// What is written.
    enum Item {
        case value(JSONValue)
        case parameter(Parameter)
    }

    /// What is in a container, in the order in which it is written.
    enum Children {
        case values([JSONValue])
        case valueMembers([JSONValue.Member])
        case parameters([Parameter])
        case parameterMembers([Parameter.Member])

        var isObject: Bool {
            switch self {
            case .values, .parameters: false
            case .valueMembers, .parameterMembers: true
            }
        }

        var count: Int {
            switch self {
            case .values(let elements): elements.count
            case .valueMembers(let members): members.count
            case .parameters(let elements): elements.count
            case .parameterMembers(let members): members.count
            }
        }
    }

    private let children: Children
    private let count: Int
    private var next = 0
    /// Whether the elements are put in the order of their texts.
    let isSortedSet: Bool
    /// The texts of the elements that wait for their places.
    var texts: [[UInt8]] = []
    /// Where the text of the element that is being written begins.
    var elementStart: Int?

    init(_ children: Children, isSortedSet: Bool) {
        self.children = children
        self.isSortedSet = isSortedSet
        count = children.count
    }

    var isObject: Bool { children.isObject }
    var isEmpty: Bool { count == 0 }
    var isAtStart: Bool { next == 0 }
    var isAtEnd: Bool { next == count }

    /// The next child; only where there is one.
    mutating func takeNext() -> (name: String?, item: Item) {
        defer { next += 1 }
        switch children {
        case .values(let elements): return (nil, .value(elements[next]))
        case .valueMembers(let members): return (members[next].name, .value(members[next].value))
        case .parameters(let elements): return (nil, .parameter(elements[next]))
        case .parameterMembers(let members):
            return (members[next].name, .parameter(members[next].value))
        }
    }
}
