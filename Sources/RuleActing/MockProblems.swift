internal import ProxydRules

/// Why captures of a mock are not served.
struct MockProblems: Sendable {
    /// The maximum number of captures that are listed; the rest is only counted.
    private static let namedCountMax = 10

    private var counts: [MockCapture.Objection: Int] = [:]
    private var named: [MockCapture.Objection: [Int64]] = [:]
    /// Why captures are missing: they could not be read, or there are too many or none.
    var failure: String?

    mutating func add(_ objection: MockCapture.Objection, to id: Int64) {
        counts[objection, default: 0] += 1
        guard named[objection, default: []].count < MockProblems.namedCountMax else { return }
        named[objection, default: []].append(id)
    }

    /// A line for each kind of problem: `not served: 2 captures with a response body that was not
    /// kept whole (1041, 1042)`.
    var lines: [String] {
        let objections = MockCapture.Objection.allCases.compactMap { objection -> String? in
            guard let count = counts[objection] else { return nil }
            let ids = named[objection, default: []].map(String.init)
            let all = ids.joined(separator: ", ") + (count > ids.count ? ", …" : "")
            let captures = count == 1 ? "1 capture" : "\(count) captures"
            return "not served: \(captures) \(objection.reason) (\(all))"
        }
        return objections + (failure.map { [$0] } ?? [])
    }
}
