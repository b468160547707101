package import ProxydCaptureModel
package import ProxydFilter
internal import ProxydHTTPModel

extension SortColumn {
    /// The value, as an expression on a row of `exchange`.
    var centralExpression: String {
        expression(time: "exchange.started_ns", process: "exchange.process")
    }
}

/// Rows sorted by a column.
extension CentralReader {
    package func isQuick(by column: SortColumn) -> Bool { column == .time }

    package func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition {
        ListPosition(row, column, time: row.startedAtNs)
    }

    package func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition] {
        var walk = Walk(
            query: CentralQuery(filter), column: column, isDescending: isDescending != isBackward,
            start: start, isAmongNulls: start.map { $0.value == nil } ?? isBackward, limit: limit)
        var found = try keys(walk)
        // Rows without a value come after the others; walking backward they come first.
        if found.count < limit, walk.isAmongNulls == isBackward {
            walk.isAmongNulls.toggle()
            walk.start = nil
            walk.limit = limit - found.count
            found += try keys(walk)
        }
        progress(1)
        return found
    }

    /// One walk through the rows that have a value, or through those that have none.
    private struct Walk {
        let query: CentralQuery
        let column: SortColumn
        let isDescending: Bool
        var start: ListPosition?
        var isAmongNulls: Bool
        var limit: Int
    }

    private func keys(_ walk: Walk) throws(StoreError) -> [ListPosition] {
        guard walk.limit > 0 else { return [] }
        var walk = walk
        var found: [ListPosition] = []
        while found.count < walk.limit {
            let count = walk.query.residual == nil ? walk.limit : CentralReader.pageCount
            let page = try page(walk, count: count)
            for row in try passing(page, walk.query.residual) {
                found.append(position(of: row, by: walk.column))
            }
            guard let last = page.last, page.count == count else { break }
            walk.start = position(of: last, by: walk.column)
        }
        return Array(found.prefix(walk.limit))
    }

    private func page(_ walk: Walk, count: Int) throws(StoreError) -> [ExchangeRow] {
        let value = walk.column.centralExpression
        let sign = walk.isDescending ? "<" : ">"
        let order = walk.isDescending ? "DESC" : "ASC"
        let argument = PostgresFragment.argument
        var conditions = [PostgresFragment("\(value) IS \(walk.isAmongNulls ? "" : "NOT ")NULL")]
        if let start = walk.start {
            switch start.value {
            case nil:
                conditions.append(
                    PostgresFragment(
                        "exchange.id \(sign) \(argument)", [.integer(start.id.rawValue)]))
            case .integer(let number)?: conditions.append(after(.integer(number), start.id))
            case .text(let text)?: conditions.append(after(.text(text), start.id))
            }
        }
        let statement = walk.query.restricted(by: .conjunction(conditions)).statement(
            CentralReader.rowSQL,
            "ORDER BY \(walk.isAmongNulls ? "" : "\(value) \(order), ")exchange.id \(order) "
                + "LIMIT \(count)")
        return try rows(statement.sql, statement.arguments)

        func after(_ start: CentralValue, _ id: ExchangeID) -> PostgresFragment {
            PostgresFragment(
                "(\(value), exchange.id) \(sign) (\(argument), \(argument))",
                [start, .integer(id.rawValue)])
        }
    }
}
