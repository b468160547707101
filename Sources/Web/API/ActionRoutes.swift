internal import ProxydExchangeContent
internal import ProxydOperations
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydWebServer

/// Routes that change exchanges, send requests and export.
struct ActionRoutes: Sendable {
    let store: SharedReader
    let services: WebServices

    func add(to router: inout WebRouter) {
        router.add(.patch, "/api/v1/exchanges/{id}", annotate)
        router.add(.delete, "/api/v1/exchanges", delete)
        router.add(.post, "/api/v1/exchanges/{id}/replay", replay)
        router.add(.post, "/api/v1/send", send)
        router.add(.get, "/api/v1/export", export)
    }

    /// An action that the program provides, or 403.
    private func allowed<Action>(_ action: Action?) throws(WebProblem) -> Action {
        guard let action else { throw WebProblem(403, "this store can only be read") }
        return action
    }

    private func row(_ id: ExchangeID, _ request: WebRequest) throws -> ExchangeRow {
        let row = try store.read(for: request) { (reader) throws(StoreError) in
            try reader.row(id)
        }
        guard let row else {
            throw WebProblem(404, "there is no exchange \(try store.name(of: id, for: request))")
        }
        return row
    }

    // MARK: Annotations

    private func annotate(_ request: WebRequest) throws -> WebResponse {
        let annotating = try allowed(services.actions.annotating)
        let id = try store.exchangeID(of: request)
        let members = try request.object(AnnotationEdit.names)
        let change = try AnnotationEdit(members)
        let before = try row(id, request)
        try annotating.annotate([change.annotation(of: before)])
        return .json(RowJSON.value(try row(id, request), position: "\(id)"))
    }

    /// A request without a filter deletes nothing, so that no typing error deletes everything.
    private func delete(_ request: WebRequest) throws -> WebResponse {
        let deleting = try allowed(services.actions.deleting)
        let filter = try request.filter(now: services.now())
        let isAll = try request.flag("all") ?? false
        guard isAll != !filter.matchesEverything else {
            throw WebProblem(400, "give a filter, or all=true to delete every exchange")
        }
        let count = try deleting.delete(passing: filter.text)
        return .json(.members([("deleted", .integer(count))]))
    }

    // MARK: Sending

    private func replay(_ request: WebRequest) throws -> WebResponse {
        let replaying = try allowed(services.actions.replaying)
        let id = try store.exchangeID(of: request)
        let members = try request.object(RequestChange.names + ["exact", "verify"])
        let route = try RequestChange.route(members)
        let cancellation = request.cancellation
        if try RequestChange.isExact(members) {
            _ = try row(id, request)
            let outcome = OutcomeBox()
            try replaying.replay(
                ReplayOrder(ids: [id], route: route), isCancelled: { cancellation.isCancelled },
                onResult: { outcome.set($0) })
            return try sent(outcome.value, request)
        }
        let subject = try store.read(for: request) { (reader) throws(StoreError) in
            try reader.captured(id)
        }
        guard let subject else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        let new = try replaying.send(
            RequestChange(members, of: subject.exchange.request).request, repeating: id, by: route,
            isCancelled: { cancellation.isCancelled })
        return try recorded(new, request)
    }

    private func sent(_ outcome: ReplayOutcome?, _ request: WebRequest) throws -> WebResponse {
        guard let outcome, let id = outcome.id else {
            throw WebProblem(502, outcome?.advice ?? outcome?.problem ?? "nothing was sent")
        }
        return try recorded(id, request)
    }

    /// The row of what was sent. One that is recorded elsewhere has only its number there.
    private func recorded(_ id: ExchangeID, _ request: WebRequest) throws -> WebResponse {
        guard !services.actions.recordsElsewhere else {
            return .json(.members([("recorded_as", .string("\(id)"))]), status: 202)
        }
        return .json(RowJSON.value(try row(id, request), position: "\(id)"))
    }

    private func send(_ request: WebRequest) throws -> WebResponse {
        let replaying = try allowed(services.actions.replaying)
        let members = try request.object(RequestChange.names + ["verify"])
        let cancellation = request.cancellation
        let id = try replaying.send(
            RequestChange(members, of: nil).request, repeating: nil,
            by: RequestChange.route(members), isCancelled: { cancellation.isCancelled })
        return try recorded(id, request)
    }

    // MARK: Export

    private func export(_ request: WebRequest) throws -> WebResponse {
        let exporting = try allowed(services.actions.exporting)
        let name = request.parameter("format") ?? "har"
        guard let format = ExportOrder.Format(rawValue: name) else {
            let names = ExportOrder.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw WebProblem(400, "format must be one of: \(names)")
        }
        let filter = try request.filter(now: services.now())
        var selection = ExportOrder.Selection.filter(filter.text)
        if let ids = request.parameter("ids") {
            let found = try ids.split(separator: ",").map {
                try store.exchangeID(named: String($0), for: request)
            }
            guard !found.contains(nil) else {
                throw WebProblem(400, "ids must be numbers separated by commas")
            }
            let ids = found.compactMap { $0 }
            // Before the body starts, so that the answer can still be 404.
            for id in ids { _ = try row(id, request) }
            selection = .exchanges(ids)
        }
        let order = ExportOrder(
            selection: selection, format: format, isRedacted: try request.flag("redact") ?? true)
        let cancellation = request.cancellation
        return .attachment(
            "exchanges.\(ActionRoutes.ending(format))",
            .pieces { writer in
                _ = try exporting.export(order, write: { try writer.write($0) }) { _ in
                    !cancellation.isCancelled
                }
            })
    }

    private static func ending(_ format: ExportOrder.Format) -> String {
        switch format {
        case .har, .jsonl: format.rawValue
        case .curl: "sh"
        case .openapi: "openapi.json"
        case .postman: "postman_collection.json"
        case .k6: "k6.js"
        }
    }
}
