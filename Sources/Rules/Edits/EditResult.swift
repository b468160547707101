/// What became of an edit.
enum EditResult: Equatable {
    /// Something is different.
    case changed
    /// It was so already, or there was nothing to change.
    case unchanged
    /// It could not be done; why.
    case notDone(NotDone)

    /// Why an edit was not done; texts as they are recorded.
    enum NotDone: String {
        case noBody = "no body"
        case partialContent = "partial content"
        case unreadableBody = "unreadable body"
        case notJSON = "not JSON"
        case notAForm = "not a form"
        case tooLarge = "too large"
        case noSuchPlace = "no such place"
        case notAURL = "not a URL"
        case notAFieldValue = "not a field value"
        case eventStream = "event stream"
    }
}
