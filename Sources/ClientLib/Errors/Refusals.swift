/// Why an exchange cannot be sent again, or not as edited.
public enum ReplayRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The exchange is a tunnel, whose contents are not known.
    case tunnel
    /// The exchange switched to another protocol.
    case upgraded(to: String)
    /// The exchange is not a WebSocket, so it has no messages to send again.
    case noConversation
    /// Only the first bytes of a message were kept; `position` is its number within the exchange.
    case truncatedMessage(position: Int64, byteCount: Int64, keptByteCount: Int64)
    /// A text message is not UTF-8, which WebSocket requires; `position` is its number within the
    /// exchange.
    case messageNotUTF8(position: Int64)
    /// The request is not valid HTTP, or names no server.
    case malformed
    /// Only the first bytes of the request's body were kept.
    case truncatedBody(byteCount: Int64, keptByteCount: Int64)
    /// The request's body is not complete yet, or never was.
    case incompleteBody
    case exactCannotBeEdited
    case edit(String, EditProblem)

    public enum EditProblem: Sendable, Hashable {
        /// The edit has none of the supported forms.
        case unknownForm
        /// The field belongs to the connection or the framing, which a replay creates anew.
        case belongsToConnection
        case notForm
        /// The form has a file of this name, not a field.
        case file
        /// The value contains the boundary of the multipart form.
        case boundaryInValue
        case notJSON
        /// The path does not exist in the body.
        case badPath
        case undecodable
        /// The body is aws-chunked, with a size and signatures that only its client can make.
        case signedChunks
        case badValue
        /// The charset of the body lacks a character of the value; the text says which.
        case lacking(String)
    }

    public var description: String { message }

    /// One readable line.
    public var message: String {
        switch self {
        case .tunnel: "it is a tunnel: what went through it was not captured"
        case .upgraded(let name): "it switched to another protocol (\(name))"
        case .noConversation: "it is not a WebSocket"
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
        case .belongsToConnection: "connection and framing fields are regenerated"
        case .notForm: "the request's body is not a form"
        case .file: "the form has a file of this name, which is not edited"
        case .boundaryInValue: "the value contains the boundary of the request's form"
        case .notJSON: "the request's body is not JSON"
        case .badPath: "the path leads nowhere in the request's body"
        case .lacking(let what): "the charset of the request's body lacks a character: \(what)"
        case .undecodable: "the content coding of the request's body cannot be decoded"
        case .signedChunks:
            "the request's body is aws-chunked: only its client can sign the chunks anew"
        case .badValue: "this is not legal there"
        }
    }
}

/// Why a redirect is not followed; except for the last two, the server is at fault.
public enum RedirectRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The Location is not a URL reference, or there are several different ones.
    case badLocation
    /// The Location contains a user name or password, which HTTP forbids (RFC 9110 §4.2.4).
    case userInfo
    case unsupportedScheme
    /// The same request was sent before, and nothing has changed since.
    case loop
    /// The redirect leads from https to http, which the policy does not allow.
    case leavesTLS
    case tooMany

    public var description: String { message }
}
