/// Why an exchange cannot be sent again, or not as edited.
public enum ReplayRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is a tunnel: what went through it is not known.
    case tunnel
    /// It switched to another protocol.
    case upgraded(to: String)
    /// It is no WebSocket, whose messages could be sent again.
    case noConversation
    /// Of a message only the first bytes were kept; its number within the exchange.
    case truncatedMessage(position: Int64, byteCount: Int64, keptByteCount: Int64)
    /// A text message is no UTF-8, which no WebSocket may send; its number within the exchange.
    case messageNotUTF8(position: Int64)
    /// Its request is no HTTP, or names no server.
    case malformed
    /// Only the first bytes of its request's body were kept.
    case truncatedBody(byteCount: Int64, keptByteCount: Int64)
    /// Its request's body has not come, or never came, to its end.
    case incompleteBody
    /// Exact replays cannot be edited.
    case exactCannotBeEdited
    /// An edit cannot be made; which, and why.
    case edit(String, EditProblem)

    /// Why an edit cannot be made.
    public enum EditProblem: Sendable, Hashable {
        /// It is none of the forms that edits have.
        case unknownForm
        /// The field belongs to the connection or the framing, which are made anew.
        case belongsToConnection
        /// The body is no form.
        case notForm
        /// The body is not JSON.
        case notJSON
        /// The path leads nowhere in the body.
        case badPath
        /// The body's content coding cannot be undone.
        case undecodable
        /// What was given is not legal there.
        case badValue
    }

    /// One line for a person.
    public var description: String { message }

    /// One line for a person.
    public var message: String {
        switch self {
        case .tunnel: "it is a tunnel: what went through it was not captured"
        case .upgraded(let name): "it switched to another protocol (\(name))"
        case .noConversation: "it is no WebSocket"
        case .truncatedMessage(let position, let byteCount, let keptByteCount):
            "only \(keptByteCount) of the \(byteCount) bytes of message \(position) were kept"
        case .messageNotUTF8(let position):
            "message \(position) is a text that is not UTF-8 and cannot be sent again"
        case .malformed: "its request is malformed"
        case .truncatedBody(let byteCount, let keptByteCount):
            "only \(keptByteCount) of the \(byteCount) bytes of its request's body were kept"
        case .incompleteBody: "its request's body is not complete"
        case .exactCannotBeEdited: "an exact replay cannot be edited"
        case .edit(let edit, let problem): "\(edit): \(problem.message)"
        }
    }
}

extension ReplayRefusal.EditProblem {
    fileprivate var message: String {
        switch self {
        case .unknownForm:
            "an edit is header:NAME=VALUE, query:NAME=VALUE, form:NAME=VALUE, json:PATH=VALUE, "
                + "method=METHOD or url=URL"
        case .belongsToConnection: "connection and framing fields are made anew"
        case .notForm: "the request's body is no form"
        case .notJSON: "the request's body is not JSON"
        case .badPath: "the path leads nowhere in the request's body"
        case .undecodable: "the content coding of the request's body cannot be undone"
        case .badValue: "this is not legal there"
        }
    }
}
