package import ProxydCaptureModel

/// Why a question about the store has no answer.
package struct AnswerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    package enum Kind: Sendable, Hashable {
        /// The question is wrong.
        case invalid
        /// There is no such exchange.
        case missing
        /// What was captured does not allow it.
        case conflict
        /// The caller gave up.
        case cancelled
        /// The store cannot be read, or does not exist yet.
        case unavailable
    }

    /// The kind of problem.
    package let kind: Kind
    /// What went wrong, for the user.
    package let description: String
    /// The column of a filter that is wrong, from 1; nil for other problems.
    package let column: Int?

    /// Creates a problem.
    package init(_ kind: Kind, _ description: String, column: Int? = nil) {
        self.kind = kind
        self.description = description
        self.column = column
    }

    /// The problem of a read.
    package init(_ error: StoreError) {
        let kind: Kind =
            switch error {
            case .notFound, .missing: .missing
            case .notPermitted: .invalid
            case .cancelled: .cancelled
            case .directory, .busy, .newerSchema, .foreignFile, .sqlite, .central, .full, .noThread,
                .stopped:
                .unavailable
            }
        self.init(kind, error.description)
    }
}
