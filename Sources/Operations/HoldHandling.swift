internal import ProxydCharsets
internal import ProxydParameterCoding
public import ProxydRules

/// Accepts messages that rules hold, and lets the user decide about them.
public protocol HoldHandling: Sendable {
    /// Starts or stops accepting holds: rules hold messages only while a client accepts them.
    /// Throws an error message for the user.
    func take(_ isOn: Bool) throws
    /// Holds what a filter matches from now on, or nothing if it is nil; accepts holds, too. Throws
    /// an error message for the user.
    func intercept(_ intercept: Intercept?) throws
    /// Opens a hold until the returned object is released, so that others see who decides about it.
    /// Throws an error message for the user, for example if another client opened it or it has
    /// ended.
    func open(_ hold: Int64) throws -> any OpenedHold
    /// Lets all held messages continue unchanged; returns how many there were.
    func resumeAll() throws -> Int
}

/// A held message that the user looks at. Its members throw error messages for the user.
public protocol OpenedHold: AnyObject, Sendable {
    /// The head as text; the first line of a request contains the complete URL.
    var head: [UInt8] { get }
    /// The content before content codings, or nil if it is not held.
    var content: [UInt8]? { get }
    /// Lets the message continue, with another head or content if given.
    func resume(head: [UInt8]?, content: [UInt8]?) throws
    func answer(head: [UInt8], content: [UInt8]) throws
    /// Closes the client's connection without an answer.
    func drop() throws
}

/// The content of a held message as text, in the charset that its head declares.
extension OpenedHold {
    /// The content as UTF-8 if it is text, its bytes if it is not; nil if it is not held.
    public var text: [UInt8]? {
        content.map { BodyText.utf8($0, contentType: HeldContent.contentType(head)) }
    }

    /// The bytes of edited text.
    /// - Parameters:
    ///   - text: The text as UTF-8.
    ///   - head: The head that the message continues with; nil if it is not changed.
    /// - Throws: what says which character the charset lacks.
    public func bytes(ofText text: [UInt8], head edited: [UInt8]?) throws -> [UInt8] {
        let type = HeldContent.contentType(head)
        let newType = edited.map(HeldContent.contentType) ?? type
        guard type == newType, let content, !content.isEmpty else {
            return try HeldContent.bytes(of: text, contentType: newType)
        }
        return try BodyText(content.span, contentType: type.flatMap { MediaType($0) })
            .bytes(of: text, inPlaceOf: content)
    }
}

/// The head of a held message as text.
public enum HeldContent {
    public static func bytes(ofText text: [UInt8], head: [UInt8]) throws -> [UInt8] {
        try bytes(of: text, contentType: contentType(head))
    }

    static func bytes(of text: [UInt8], contentType: String?) throws -> [UInt8] {
        guard let text = String(validating: text, as: UTF8.self) else { return text }
        return try BodyText.bytes(of: text, contentType: contentType.flatMap { MediaType($0) })
    }

    /// The value of Content-Type; nil if there is none.
    public static func contentType(_ head: [UInt8]) -> String? {
        let name = "content-type:"
        return head.split(separator: 0x0A).lazy
            .map { String(decoding: $0, as: UTF8.self) }
            .first { $0.lowercased().hasPrefix(name) }
            .map { line in
                let value = line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
                return value.last == "\r" ? String(value.dropLast()) : String(value)
            }
    }
}

/// Why a held message could not be opened or decided about.
public struct HoldProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The message is not held, or no longer.
        case notHeld
        /// Another client has opened it.
        case taken
        case badEdit
    }

    public let kind: Kind
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
