/// What the index file proposed last: the pages, counts and sums of one filter ask for the same.
struct CandidateCache: Sendable {
    /// What was asked, and of which state of the store. Numbers that no passing row of a state
    /// lacks are right for as long as nobody writes, whatever becomes of the index file.
    struct Question: Sendable, Hashable {
        let probes: [IndexProbe]
        /// `PRAGMA data_version` of the store.
        let changeNumber: Int64
        /// The file number of the index file.
        let indexFile: UInt64
    }

    private var last: (question: Question, ids: [Int64]?)?

    /// The answer to a question: nil inside where the index file is no help, nil where it was not
    /// asked yet.
    func answer(to question: Question) -> [Int64]?? {
        guard let last, last.question == question else { return nil }
        return .some(last.ids)
    }

    mutating func keep(_ ids: [Int64]?, for question: Question) { last = (question, ids) }
}
