extension ActionID {
    static let showTree = ActionID("tree")
    static let focus = ActionID("tree.focus")
    static let unfoldBranch = ActionID("tree.unfold")
    static let foldBranch = ActionID("tree.fold")
    static let foldTree = ActionID("tree.fold.all")
    static let sortTree = ActionID("tree.sort")
}

extension ActionTable {
    static let tree = [
        Action(
            .showTree, [Key("T")], [.list], "Show hosts and paths as a tree", hint: "tree"),
        Action(
            .focus, [.enter], [.tree], "List only what is below; close the tree",
            hint: "list it"),
        Action(
            .unfoldBranch, [Key("l"), Key(.right), Key("+")], [.tree], "Unfold", hint: "unfold"),
        Action(
            .foldBranch, [Key("h"), Key(.left), Key("-")], [.tree],
            "Fold; go to the parent folder"),
        Action(.foldTree, [Key("_")], [.tree], "Fold everything"),
        Action(.sortTree, [Key("o")], [.tree], "Sort by the next column", hint: "sort"),
    ]
}
