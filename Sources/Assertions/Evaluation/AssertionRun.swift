public import ProxydCaptureModel
public import ProxydFilter

/// Checks what an assertion file expects of a store, without writing anything.
public struct AssertionRun {
    /// Bodies up to this size are compared, in bytes.
    static let bodyByteCountMax = 16 << 20

    let reader: any ExchangeReading
    let scope: Filter

    /// Creates a run on the exchanges of a store that match `scope`.
    public init(_ reader: any ExchangeReading, scope: Filter) {
        self.reader = reader
        self.scope = scope
    }

    /// Checks that there is something to look at: a file that checks nothing must not succeed.
    public func scopeResult() throws(StoreError) -> AssertionResult {
        var result = AssertionResult(kind: .scope, name: "the scope has exchanges")
        try reader.forEachRow(matching: scope, .oldest) { _ in
            result.matchedCount = 1
            return false
        }
        if result.matchedCount == 0 {
            let named = scope.text.isEmpty ? "the store" : "the scope \(scope.text)"
            result.problems.append(
                AssertionProblem("\(named) has no exchanges: did the client use the proxy?"))
        }
        return result
    }

    /// Checks an expectation.
    public func result(of expectation: Expectation) throws(StoreError) -> AssertionResult {
        var check = ExpectationCheck(expectation, self)
        return try check.result()
    }

    /// Passes the rows of the scope that match all filters to the closure until it returns false.
    func forEachRow(
        matching filters: [Filter], _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reader.forEachRow(matching: .all([scope] + filters), .oldest, body)
    }
}
