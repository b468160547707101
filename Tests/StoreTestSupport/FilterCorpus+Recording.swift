package import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel

extension FilterCorpus {
    /// Records the exchanges into an empty store.
    package static func record(into recorder: Recorder) throws {
        for subject in subjects {
            precondition(recorder.nextExchangeID() == subject.update.id, "the store is not empty")
            for connection in [subject.client, subject.server].compactMap(\.self) {
                recorder.record(connection)
            }
            recorder.record(subject.update)
        }
        try recorder.flush()
        for subject in subjects where subject.annotations != .init() {
            let made = subject.annotations
            try recorder.annotate(
                AnnotationChange(
                    id: subject.update.id, note: made.note, addedTags: made.tags,
                    isPinned: made.isPinned ? true : nil))
        }
    }
}
