internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydWebServer

/// Routes that read lists and totals.
struct ReadingRoutes: Sendable {
    let door: StoreDoor
    let now: @Sendable () -> Int64

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/exchanges") { request in
            let list = try ExchangeList(request, now: now())
            return .json(
                try door.read(for: request) { (reader) throws(StoreError) in
                    try list.page(reader)
                })
        }
        router.add(.get, "/api/v1/count") { request in
            let filter = try request.filter(now: now())
            let count = try door.read(for: request) { (reader) throws(StoreError) in
                try reader.count(matching: filter)
            }
            return .json(.members([("count", .integer(count))]))
        }
        router.add(.get, "/api/v1/summary") { request in
            let filter = try request.filter(now: now())
            return .json(
                try door.read(for: request) { (reader) throws(StoreError) in
                    try SummaryJSON.value(reader.summary(matching: filter), reader)
                })
        }
        router.add(.get, "/api/v1/branches") { request in
            let filter = try request.filter(now: now())
            let place = try BranchesJSON.place(request)
            let branches = try door.read(for: request) { (reader) throws(StoreError) in
                try reader.branches(of: place, matching: filter)
            }
            return .json(BranchesJSON.value(branches))
        }
        router.add(.get, "/api/v1/values/{column}") { request in
            guard let column = SortColumn(rawValue: request.segment("column")) else {
                throw WebProblem(404, "there is no column \(request.segment("column"))")
            }
            let values = try door.read(for: request) { (reader) throws(StoreError) in
                try reader.values(of: column)
            }
            return .json(.members([("values", .strings(values))]))
        }
        router.add(.get, "/api/v1/compare") { request in
            .json(try TrafficRequest(request, now: now()).json(door, request))
        }
        router.add(.get, "/api/v1/filter/check") { request in
            .json(FilterJSON.value(try request.filter(now: now())))
        }
        router.add(.get, "/api/v1/filter/manual") { _ in .json(FilterJSON.manual) }
    }
}
