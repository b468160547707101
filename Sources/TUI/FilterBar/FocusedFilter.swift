internal import ProxydFilter

/// A filter that was chosen on another screen, for the list below.
enum FocusedFilter {
    /// Goes back to the list with a filter; if it is invalid, shows the error.
    static func answer<News>(_ text: String, _ context: Context) -> ScreenEffect<News, Filter> {
        do throws(FilterError) {
            let filter = try Filter.parse(
                text, now: context.now, timeZone: context.clock.timeZone)
            return .answer(filter)
        } catch {
            return .notify(.problem(error.message))
        }
    }
}
