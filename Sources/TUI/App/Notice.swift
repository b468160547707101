/// A line that reports what happened.
struct Notice: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case information, success, problem
    }

    var kind: Kind
    var text: String

    static func information(_ text: String) -> Notice { Notice(kind: .information, text: text) }
    static func success(_ text: String) -> Notice { Notice(kind: .success, text: text) }
    static func problem(_ text: String) -> Notice { Notice(kind: .problem, text: text) }
}
