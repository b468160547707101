internal import ProxydCharsets

/// The result of an edit.
enum EditResult: Equatable {
    /// Something changed.
    case changed
    /// The message had this value already, or there was nothing to change.
    case unchanged
    /// The edit is applied while the body streams; its outcome is recorded when the stream ends.
    case flowing
    /// The edit could not be applied, for this reason.
    case notDone(NotDone)

    /// Why an edit was not applied.
    struct NotDone: Equatable {
        /// The text that is recorded.
        let reason: String

        static let noBody = NotDone(reason: "no body")
        static let partialContent = NotDone(reason: "partial content")
        static let unreadableBody = NotDone(reason: "unreadable body")
        static let notJSON = NotDone(reason: "not JSON")
        static let notAForm = NotDone(reason: "not a form")
        static let file = NotDone(reason: "a file, not a field")
        static let boundary = NotDone(reason: "the value contains the boundary")
        static let signedChunks = NotDone(reason: "aws-chunked")
        static let tooLarge = NotDone(reason: "too large")
        static let noSuchPlace = NotDone(reason: "no such place")
        static let notAURL = NotDone(reason: "not a URL")
        static let notAFieldValue = NotDone(reason: "not a field value")
        static let eventStream = NotDone(reason: "event stream")
        static let wideCharset = NotDone(reason: "UTF-16 or UTF-32")

        /// A charset lacks a character.
        static func lacking(_ error: UnencodableCharacter) -> NotDone {
            NotDone(reason: "\(error)")
        }
    }
}
