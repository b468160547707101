internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydExchangeContent
internal import ProxydRedaction

/// Writes exchanges, as `proxyctl export` does.
struct StoreExporter: Exporting {
    private let place: StorePlace

    init(_ place: StorePlace) { self.place = place }

    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary {
        let sink = HandingSink(write)
        var isWanted = true
        let report = try InterfaceFailure.explaining {
            let run = ExportRun(
                reader: try place.reader(), filter: try StoreExporter.filter(order),
                ids: StoreExporter.ids(order), sink: sink,
                redactor: order.isRedacted ? StoreExporter.redactor(order.hiddenNames) : nil)
            return try run.write(StoreExporter.format(order.format), { !isWanted }) {
                isWanted = progress(ExportProgress(exchangeCount: $1, fraction: $0))
            }
        }
        if let error = sink.error { throw error }
        return ExportSummary(
            exchangeCount: report.exchangeCount, leftOutCount: report.leftOutCount,
            withoutCommandCount: report.withoutCommandCount)
    }

    private static func redactor(_ names: HiddenNames) -> ExchangeRedactor {
        ExchangeRedactor(Redaction(addingFields: names.fields, parameters: names.parameters))
    }

    private static func ids(_ order: ExportOrder) -> [ExchangeID]? {
        guard case .exchanges(let ids) = order.selection else { return nil }
        return ids
    }

    private static func filter(_ order: ExportOrder) throws -> Filter {
        guard case .filter(let text) = order.selection else { return .everything }
        return try FilterArgument.parse(text)
    }

    private static func format(_ format: ExportOrder.Format) -> ExportCommand.Format {
        switch format {
        case .har: .har
        case .curl: .curl
        case .jsonl: .jsonl
        case .openapi: .openapi
        case .postman: .postman
        case .k6: .k6
        }
    }
}
