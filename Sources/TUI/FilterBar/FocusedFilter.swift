internal import ProxydFilter

/// A filter that was chosen on another screen, for the list below.
struct FocusedFilter: Sendable {
    let filter: Filter

    /// Goes back to the list with a filter; says what is wrong with it where it cannot be.
    static func answer(_ text: String, _ context: Context) -> Effect {
        do throws(FilterError) {
            let filter = try Filter.parse(
                text, now: context.now, timeZone: context.clock.timeZone)
            return .answer(FocusedFilter(filter: filter))
        } catch {
            return .notify(.problem(error.message))
        }
    }
}
