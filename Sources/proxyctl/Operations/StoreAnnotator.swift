internal import Capture
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydOperations

/// Writes notes, tags and pins, as `proxyctl mark` does.
struct StoreAnnotator: Annotating {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) { self.directory = directory }

    func annotate(_ changes: [Annotation]) throws {
        for change in changes {
            let message = AnnotationMessage(
                exchangeID: change.id.rawValue, note: change.note, addedTags: change.addedTags,
                removedTags: change.removedTags, isPinned: change.isPinned)
            try InterfaceFailure.explaining {
                try StoreChanger.open(directory).annotate(message)
            }
        }
    }
}
