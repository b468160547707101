internal import ProxydHTTPModel

/// Message fields whose values are numbers with names.
extension FilterTestBuilder {
    /// Builds the test of `ws.close`, which takes a whole close code.
    func closeTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression {
        let isEqual = comparison == .contains ? .equals : comparison
        if comparison == .contains, value.text.isEmpty { return .test(.closeCode(.init())) }
        guard let code = Int64(value.text),
            let range = FilterQuantity.range(from: code, to: code, isEqual)
        else {
            throw FilterError(
                column: value.column, "ws.close takes a code such as 1000 or 1006")
        }
        return .test(.closeCode(range))
    }

    /// Builds the test of `grpc.status` for a number or a name; nil if the test compares the name
    /// as text.
    func grpcStatusTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression? {
        if comparison == .matches { return nil }
        let status = GRPCStatus(name: value.text)?.number ?? Int64(value.text)
        let isEqual = comparison == .contains ? .equals : comparison
        if let status, let range = FilterQuantity.range(from: status, to: status, isEqual) {
            return .test(.number(.grpcStatus, range))
        }
        if comparison == .contains { return nil }
        let near = NearNames.of(
            value.text.uppercased(), among: GRPCStatus.defined.map(\.name))
        throw FilterError(
            column: value.column,
            "grpc.status takes a name such as NOT_FOUND or a number"
                + (near.isEmpty ? "" : ": \(near.joined(separator: " or "))?"))
    }
}
