internal import ProxydFilter
internal import ProxydRules

extension FormDialog {
    /// Asks for two filters whose exchanges are compared; `filter` is that of the list.
    static func comparing(_ filter: Filter, _ context: Context) -> FormDialog {
        let now = context.now
        return FormDialog(
            "Compare two sets of exchanges",
            [
                .text("Before", ""),
                .text("After", filter.text),
                .choice("Servers", ["the same", "any"]),
                .text("Ignore", ""),
            ], verb: "compares"
        ) { answers throws(Refusal) in
            let order = TrafficOrder(
                before: try parsed("Before", answers.text(0), now),
                after: try parsed("After", answers.text(1), now),
                matching: try matching(answers.text(3)), anyServer: answers.choice(2) == 1)
            return .become(TrafficScreen(order))
        }
    }

    private static func parsed(
        _ name: String, _ text: String, _ now: Int64
    ) throws(Refusal) -> Filter {
        do throws(FilterError) {
            return try Filter.parse(text, now: now)
        } catch {
            throw Refusal(words: "\(name), column \(error.column): \(error.message)")
        }
    }

    private static func matching(_ ignored: String) throws(Refusal) -> MockMatching {
        do throws(MockMatching.Mistake) {
            return try MockMatching(ignore: ignored.split(separator: " ").map(String.init))
        } catch {
            throw Refusal(words: "Ignore: \(error.message)")
        }
    }
}
