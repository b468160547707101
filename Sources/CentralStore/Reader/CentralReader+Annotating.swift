package import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

extension CentralReader {
    /// Changes the note, tags or pin of an exchange; fails with `.notFound` if it does not exist.
    package func annotate(_ change: AnnotationChange) throws(StoreError) {
        let count = try use { connection throws(CentralError) -> Int64? in
            try connection.transaction { () throws(CentralError) in
                let found = try connection.first(
                    "SELECT note, tags, pinned FROM exchange WHERE id = $1 FOR UPDATE",
                    [.integer(change.id.rawValue)]
                ) { row in
                    Exchange.Annotations(
                        note: row.text(0), tags: row.texts(1), isPinned: row.integer(2) == 1)
                }
                guard var annotations = found else { return nil }
                CentralReader.apply(change, to: &annotations)
                return try connection.run(
                    """
                    UPDATE exchange SET note = $2::text, tags = $3, pinned = $4,
                      annotated_at = now() WHERE id = $1
                    """,
                    [
                        .integer(change.id.rawValue), CentralValue(annotations.note),
                        .texts(annotations.tags), .boolean(annotations.isPinned),
                    ])
            }
        }
        guard count != nil else { throw .notFound(change.id.rawValue) }
    }

    private static func apply(
        _ change: AnnotationChange, to annotations: inout Exchange.Annotations
    ) {
        if let note = change.note { annotations.note = note.isEmpty ? nil : note }
        let removed = change.removedTags.map { OneLine.text($0) }
        annotations.tags.removeAll { removed.contains($0) }
        for tag in change.addedTags.map({ OneLine.text($0) })
        where !tag.isEmpty && !annotations.tags.contains(tag) {
            annotations.tags.append(tag)
        }
        annotations.isPinned = change.isPinned ?? annotations.isPinned
    }
}
