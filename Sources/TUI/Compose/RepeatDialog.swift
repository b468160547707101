internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydOperations

extension FormDialog {
    /// The limits on the rounds of one order, on its concurrent requests, and on its delay.
    private static let roundCountMax = 1_000_000
    private static let concurrencyMax = 1_000
    private static let delayMsMax = 86_400_000

    /// Asks how often requests are sent, and how fast.
    static func repeating(_ chosen: ChosenRows) -> FormDialog {
        let sets = chosen.choices.compactMap { choice -> (name: String, ids: [ExchangeID])? in
            guard case .exchanges(let ids) = choice.selection else { return nil }
            return (choice.name, ids)
        }
        return FormDialog(
            "Send many times",
            [
                .choice("What", sets.map(\.name)),
                .text("Times", "10"),
                .text("Parallel", "1"),
                .text("Delay ms", "0"),
                .choice("How", ["byte for byte", "new Host and framing"]),
            ] + routeQuestions, focused: 1, verb: "sends"
        ) { answers throws(Refusal) in
            let order = ReplayOrder(
                ids: sets[answers.choice(0)].ids,
                roundCount: try number(answers.text(1), "Times", 1...roundCountMax),
                concurrency: try number(answers.text(2), "Parallel", 1...concurrencyMax),
                delayMs: try number(answers.text(3), "Delay", 0...delayMsMax),
                isExact: answers.choice(4) == 0, route: try route(answers, from: 5))
            return .become(RepeatScreen(order))
        }
    }

    /// Asks for the route of a composed request.
    static func sending(_ request: Request, of original: ExchangeRow?) -> FormDialog {
        FormDialog("Send with options", routeQuestions, verb: "sends") {
            answers throws(Refusal) in
            let route = try route(answers, from: 0)
            return .become(SendScreen(.composed(request, of: original), by: route))
        }
    }

    private static let routeQuestions: [Question] = [
        .choice("Certificates", ["verified", "not verified"]),
        .choice("Way", ["directly", "through proxyd"]),
        .text("Resolve", ""),
        .choice("Version", ["as recorded", "HTTP/1.1", "HTTP/2"]),
    ]

    private static func route(
        _ answers: Answers, from index: Int
    ) throws(Refusal) -> ReplayRoute {
        let route = ReplayRoute(
            isVerified: answers.choice(index) == 0,
            isThroughDaemon: answers.choice(index + 1) == 1,
            resolutions: answers.text(index + 2),
            version: ReplayRoute.Version(rawValue: answers.choice(index + 3)) ?? .recorded)
        guard !route.isThroughDaemon || route.resolutions.allSatisfy({ $0 == " " }) else {
            throw Refusal(
                words: "Resolve works only if Way is “directly”: proxyd resolves names itself")
        }
        return route
    }

    private static func number(
        _ text: String, _ name: String, _ range: ClosedRange<Int>
    ) throws(Refusal) -> Int {
        guard let number = Int(text.filter { $0 != " " }), range.contains(number) else {
            throw Refusal(
                words: "\(name): a number from \(range.lowerBound) to "
                    + Quantity.grouped(Int64(range.upperBound)))
        }
        return number
    }
}
