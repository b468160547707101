import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Sums of a place in the tree of servers and paths.
struct BranchTotalsTests {
    @Test
    func `the path tree counts an exchange as an error if it failed or its status is 400 or more`()
    {
        let rows: [(row: ExchangeRow, isError: Bool)] = [
            (Rows.row(status: 399), false), (Rows.row(status: 400), true),
            (Rows.row(status: 200, state: .failed), true),
            (Rows.row(status: nil, state: .active), false),
        ]
        for (row, isError) in rows {
            #expect(BranchTotals(row).errorCount == (isError ? 1 : 0))
        }
    }

    @Test
    func `adding byte totals saturates at the largest integer, and the latest start time is kept`()
    {
        var totals = BranchTotals(Rows.row(5, byteCount: .max))
        totals += BranchTotals(Rows.row(2, byteCount: 7))
        #expect(totals.count == 2 && totals.byteCount == .max && totals.lastStartedAtNs == 1_005)
        totals += BranchTotals()
        #expect(totals.count == 2 && totals.lastStartedAtNs == 1_005)
    }
}
