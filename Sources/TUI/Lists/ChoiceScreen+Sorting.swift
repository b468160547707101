internal import ProxydCaptureModel

extension ChoiceScreen where Chosen == RowOrder {
    /// Asks for the sort column; numbers are sorted largest first.
    static func sorting(_ current: RowOrder) -> ChoiceScreen {
        let keys: [(SortColumn, Character)] = [
            (.time, "t"), (.method, "m"), (.host, "h"), (.path, "p"), (.status, "s"), (.type, "y"),
            (.size, "z"), (.duration, "d"), (.process, "r"),
        ]
        let choices = keys.map { column, key in
            let isDescending = column == .size || column == .duration || column == .status
            return Choice(
                key: Key(key), name: column.rawValue,
                answer: RowOrder(column: column, isDescending: isDescending))
        }
        let selected = keys.firstIndex { $0.0 == current.column } ?? 0
        return ChoiceScreen("Sort by", choices, selected: selected)
    }
}
