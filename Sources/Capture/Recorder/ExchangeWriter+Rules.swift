internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// What rules did. Both tables are written in key order and have no other index.
extension ExchangeWriter {
    /// The maximum numbers of applied rules and of tags added by rules per exchange.
    private static let appliedRuleCountMax: Int64 = 4_096
    private static let tagCountMax = 100
    /// The maximum length in bytes, first of names and tags, then of details.
    private static let nameByteCountMax = 256
    private static let detailByteCountMax = 4_096

    /// Stores that a rule was applied to an exchange.
    func add(
        _ rule: AppliedRule, _ id: Int64, _ exchange: inout ActiveExchange
    ) throws(StoreError) {
        guard exchange.appliedRuleCount < ExchangeWriter.appliedRuleCountMax else { return }
        let statement = statements.insertAppliedRule
        statement.bind(1, id)
        statement.bind(2, exchange.appliedRuleCount)
        exchange.appliedRuleCount += 1
        let nameMax = ExchangeWriter.nameByteCountMax
        statement.bindCopy(3, OneLine.text(rule.rule, byteCountMax: nameMax))
        statement.bindCopy(4, rule.phase.rawValue)
        statement.bindCopy(5, OneLine.text(rule.outcome, byteCountMax: nameMax))
        statement.bindCopy(
            6, rule.detail?.beginning(byteCountMax: ExchangeWriter.detailByteCountMax))
        statement.bind(7, rule.hold?.startNs)
        statement.bind(8, rule.hold?.durationNs)
        try statement.run()
    }

    /// Adds a tag to an exchange that does not have it yet.
    func add(
        tag: String, _ id: Int64, _ exchange: inout ActiveExchange
    ) throws(StoreError) {
        let tag = OneLine.text(tag, byteCountMax: ExchangeWriter.nameByteCountMax)
        guard !tag.isEmpty, exchange.tagCount < ExchangeWriter.tagCountMax else { return }
        exchange.tagCount += 1
        let statement = statements.insertTag
        statement.bind(1, id)
        statement.bindCopy(2, tag)
        try statement.run()
    }
}
