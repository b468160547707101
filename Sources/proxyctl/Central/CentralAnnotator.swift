internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydHTTPModel
internal import ProxydOperations

/// Writes notes, tags and pins into a central store, where the user's role may.
struct CentralAnnotator: Annotating {
    private let reader: CentralReader

    init(_ reader: CentralReader) { self.reader = reader }

    func annotate(_ changes: [Annotation]) throws {
        try InterfaceFailure.explaining {
            try StoreAccess.attempt { () throws(StoreError) in
                for change in changes {
                    try reader.annotate(
                        AnnotationChange(
                            id: change.id, note: change.note, addedTags: change.addedTags,
                            removedTags: change.removedTags, isPinned: change.isPinned))
                }
            }
        }
    }
}
