/// A container of the JSON text being written.
struct JSONLevel {
    /// A value to write.
    enum Item {
        case value(JSONValue)
        case parameter(Parameter)
    }

    /// The children of a container, in output order.
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
    /// Whether the elements are sorted by their text.
    let isSortedSet: Bool
    /// The texts of elements that await sorting.
    var texts: [[UInt8]] = []
    /// The start of the current element's text.
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

    /// The next child; must not be called after the last one.
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
