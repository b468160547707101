/// Caches the latest answer of the index file: pages, counts and sums of one filter ask for the
/// same.
struct CandidateCache: Sendable {
    /// What was asked, and about which state of the store. If no matching row of that state is
    /// missing, the answer stays right until something is written, whatever happens to the index
    /// file.
    struct Question: Sendable, Hashable {
        let probes: [IndexProbe]
        /// `PRAGMA data_version` of the store.
        let changeNumber: Int64
        /// The inode number of the index file.
        let indexFile: UInt64
    }

    private var last: (question: Question, ids: [Int64]?)?

    /// The cached answer: the inner optional is nil if the index file is of no help, the outer one
    /// if the question was not asked yet.
    func answer(to question: Question) -> [Int64]?? {
        guard let last, last.question == question else { return nil }
        return .some(last.ids)
    }

    mutating func keep(_ ids: [Int64]?, for question: Question) { last = (question, ids) }
}
