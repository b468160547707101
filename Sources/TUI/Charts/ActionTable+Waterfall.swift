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
            .showWaterfall, [Key("W")], [.list], "Show or hide the rows as bars on a time axis",
            hint: "chart"),
        Action(.zoomIn, [Key("+"), Key("=")], [.waterfall], "Zoom in"),
        Action(.zoomOut, [Key("-")], [.waterfall], "Zoom out"),
        Action(.zoomFit, [Key("0")], [.waterfall], "Fit the time of most visible rows, or of all"),
        Action(.earlier, [Key("h"), Key(.left)], [.waterfall], "Show earlier times"),
        Action(.later, [Key("l"), Key(.right)], [.waterfall], "Show later times"),
    ]
}
