/// A screen with a list of lines that are all in memory: keys and the mouse move in it, and a click
/// on the selected line does what Enter does.
protocol LineListScreen: ScreenModel {
    var cursor: ListCursor { get set }
    /// The number of rows above the lines, and of those below.
    static var barCounts: (above: Int, below: Int) { get }

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect]
    mutating func openLine(_ context: Context) -> [Effect]
}

extension LineListScreen {
    static var barCounts: (above: Int, below: Int) { (0, 0) }

    /// Adapts the cursor to the size of the screen.
    mutating func fit(_ context: Context) {
        let bars = Self.barCounts
        cursor.height = max(1, context.size.rows - bars.above - bars.below)
    }

    mutating func appear(_ context: Context) -> [Effect] {
        fit(context)
        return []
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        cursor.perform(action) ? [] : performOnLine(action, context)
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(var mouse) = event else { return nil }
        mouse.position.row -= Self.barCounts.above
        return cursor.use(mouse) == .again ? openLine(context) : []
    }

    mutating func openLine(_ context: Context) -> [Effect] { [] }
}
