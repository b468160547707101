extension ActionID {
    static let showWaterfall = ActionID("waterfall")
    static let zoomIn = ActionID("waterfall.zoom.in")
    static let zoomOut = ActionID("waterfall.zoom.out")
    static let earlier = ActionID("waterfall.earlier")
    static let later = ActionID("waterfall.later")
    static let zoomFit = ActionID("waterfall.zoom.fit")
}

extension ActionTable {
    static let waterfall = [
        Action(
            .showWaterfall, [Key("W")], [.list], "Show the rows as bars on one time axis, or not",
            hint: "chart"),
        Action(.zoomIn, [Key("+"), Key("=")], [.waterfall], "Show less time, larger"),
        Action(.zoomOut, [Key("-")], [.waterfall], "Show more time, smaller"),
        Action(.zoomFit, [Key("0")], [.waterfall], "Show the time of most rows in view, or of all"),
        Action(.earlier, [Key("h"), Key(.left)], [.waterfall], "Show what was before"),
        Action(.later, [Key("l"), Key(.right)], [.waterfall], "Show what came after"),
    ]
}
