internal import ProxydHTTPModel

extension FilterTestBuilder {
    /// Builds a test for `id=STORE:NUMBER`: the store has that name, and the comparison holds for
    /// the number. nil if the value names no store.
    func nameTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) -> FilterExpression? {
        guard let name = ExchangeName(value.text), let store = name.storeName,
            let number = numberTest(name.number, comparison)
        else { return nil }
        return .all([.test(.text(.columns([.store]), .equals(store))), .test(number)])
    }

    private func numberTest(_ number: Int64, _ comparison: FilterOperator) -> FilterTest? {
        if comparison == .contains {
            return .text(.digits(.id), .contains(ByteSearch(String(number))))
        }
        return FilterQuantity.range(from: number, to: number, comparison).map { .number(.id, $0) }
    }
}
