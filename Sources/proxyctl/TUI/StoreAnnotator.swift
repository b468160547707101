internal import Capture
internal import Control
internal import HTTPModel
internal import TUI

/// Writes notes, tags and pins as `proxyctl mark` does.
struct StoreAnnotator: Annotating {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) { self.directory = directory }

    func annotate(_ changes: [Annotation]) throws {
        for change in changes {
            let message = AnnotationMessage(
                exchangeID: change.id.rawValue, note: change.note, addedTags: change.addedTags,
                removedTags: change.removedTags, isPinned: change.isPinned)
            do {
                try StoreChanger.open(directory).annotate(message)
            } catch let failure as CommandFailure {
                throw InterfaceFailure(description: failure.message ?? "it did not work")
            }
        }
    }
}

/// What did not work, for the line of notices.
struct InterfaceFailure: Error, CustomStringConvertible {
    let description: String
}
