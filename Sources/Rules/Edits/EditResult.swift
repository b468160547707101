/// What became of an edit.
enum EditResult: Equatable {
    /// Something is different.
    case changed
    /// It was so already, or there was nothing to change.
    case unchanged
    /// It is done while the body flows; what comes of it is noted when that is over.
    case flowing
    /// It could not be done; why.
    case notDone(NotDone)

    /// Why an edit was not done.
    struct NotDone: Equatable {
        /// As it is recorded.
        let reason: String

        static let noBody = NotDone(reason: "no body")
        static let partialContent = NotDone(reason: "partial content")
        static let unreadableBody = NotDone(reason: "unreadable body")
        static let notJSON = NotDone(reason: "not JSON")
        static let notAForm = NotDone(reason: "not a form")
        static let tooLarge = NotDone(reason: "too large")
        static let noSuchPlace = NotDone(reason: "no such place")
        static let notAURL = NotDone(reason: "not a URL")
        static let notAFieldValue = NotDone(reason: "not a field value")
        static let eventStream = NotDone(reason: "event stream")
    }
}
