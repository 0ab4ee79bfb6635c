"""Finds what of a Python file is about a model that is gone, in the smallest pieces that can be cut out.

A string that names the model is dead, and so is what is built with it: the call that gets it as an argument, the item
of a list or dictionary, the test that is run for nothing else, the helper that builds nothing else. An item among
others is cut alone; a list with no other items is dead itself; a branch for the model is cut out of its `if`. A name
that is bound to something dead is dead wherever it is used.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.classes import dotted_name
from codemods.code.dead_expressions import (
    BranchCut,
    Cut,
    Dead,
    ExpressionJudge,
    ItemCut,
    State,
    StatementCut,
    children,
    is_below,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_cuts(module: ast.Module, dead: Dead) -> list[Cut]:
    """The pieces to be cut out, in order. What else is dead shows when these are gone."""
    return _Finder(dead).block(module.body, top=True)[1]


def bound_names(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a top-level statement binds, in its branches too."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Assign(targets=targets):
            parts = (part for target in targets for part in ast.walk(target))
            return tuple(n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        case ast.AnnAssign(target=ast.Name(id=name)):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return tuple((alias.asname or alias.name).partition(".")[0] for alias in aliases)
        case ast.If() | ast.Try() | ast.With():
            inner = (name for body in _blocks(statement) for s in body for name in bound_names(s))
            return tuple(dict.fromkeys(inner))
    return ()


class _Finder(ExpressionJudge):
    """Walks the statements of one file."""

    def block(self, body: Sequence[ast.stmt], *, top: bool) -> tuple[bool, list[Cut]]:
        """Whether a block as a whole is dead, and else what is to be cut out of it."""
        cuts: list[Cut] = []
        gone = 0
        for index, statement in enumerate(body):
            dead, inner = self._statement(statement, top=top)
            if dead and not top:
                turn = _one_turn(body, index)
                if not turn:
                    return True, []
                cuts.extend(turn)
                continue
            gone += dead
            cuts.extend([StatementCut(statement)] if dead else inner)
        if not top and body and sum(isinstance(c, StatementCut) and c.statement in body for c in cuts) == len(body):
            return self.dead.takes_functions, []
        return bool(gone) and gone == len(body), cuts

    def _statement(self, statement: ast.stmt, *, top: bool) -> tuple[bool, list[Cut]]:
        match statement:
            case ast.Import() | ast.ImportFrom():
                return self._import(statement)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._function(statement)
            case ast.ClassDef():
                return self._class(statement)
            case ast.If():
                return self._if(statement, top=top)
        dead, cuts = self.expressions(statement, list(children(statement)))
        if isinstance(statement, ast.Assert) and self.state(statement, statement.test)[0] is State.FALSE:
            dead = True
        if dead:
            constant = isinstance(statement, ast.Assign | ast.AnnAssign) and _plain_text(statement.value)
            taken = self.dead.takes_functions and not (top and constant and not self.dead.about_models)
            return taken, []
        for body in _blocks(statement):
            gone, inner = self.block(body, top=False)
            if gone and isinstance(statement, ast.Try) and self.dead.spares_branches:
                return False, []
            if gone:
                return True, []
            cuts.extend(inner)
        return False, cuts

    def _function(self, function: Function) -> tuple[bool, list[Cut]]:
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        names = {argument.arg for argument in arguments}
        if names & self.dead.names and self.dead.takes_functions:
            return True, []
        outside = [*function.decorator_list, *function.args.defaults, *filter(None, function.args.kw_defaults)]
        dead, cuts = self.expressions(function, [*outside, *_annotations(function)])
        self.hidden.append(frozenset(names) | _assigned(function))
        gone, inner = self.block(function.body, top=False)
        self.hidden.pop()
        if (dead or gone) and self.dead.takes_functions:
            # A fixture on a checkpoint is asked for by name from tests of other files, which want another one.
            kept = _is_fixture(function) and not self.dead.about_models
            return not kept, []
        return False, [*cuts, *inner]

    def _class(self, node: ast.ClassDef) -> tuple[bool, list[Cut]]:
        dead, cuts = self.expressions(node, [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)])
        if dead:
            return self.dead.takes_functions, []
        pieces = [(statement, *self._statement(statement, top=True)) for statement in node.body]
        gone = [statement for statement, is_gone, _ in pieces if is_gone]
        tests = [s for s in node.body if isinstance(s, Function) and s.name.startswith("test")]
        if not tests and any(isinstance(s, Function) for s in gone):
            # Its other methods need what one of them makes.
            return self.dead.takes_functions, []
        rest = [statement for statement in node.body if statement not in gone]
        if tests and not any(isinstance(s, Function | ast.ClassDef) for s in rest):
            return True, []
        going = [s for s in gone if s in tests or not _is_asked_for(s, rest)]
        cuts += [cut for statement, _, inner in pieces if statement in rest for cut in inner]
        cuts += [StatementCut(statement) for statement in going]
        return len(going) == len(node.body), cuts

    def _if(self, statement: ast.If, *, top: bool, chained: bool = False) -> tuple[bool, list[Cut]]:
        state, cuts = self.state(statement, statement.test)
        if state is State.FALSE:
            if not statement.orelse and not chained:
                return (True, []) if top else (False, [StatementCut(statement)])
            return False, [BranchCut(statement)]
        if state is State.DEAD:
            return self.dead.takes_functions, []
        # A script that imports what is gone does nothing more, not even the rest of it.
        whole = bool(self.dead.modules) and _asks_for_script(statement.test)
        gone, inner = self.block(statement.body, top=top and not whole)
        match statement.orelse:
            case [ast.If() as following]:
                gone_else, inner_else = self._if(following, top=top, chained=True)
            case _:
                gone_else, inner_else = self.block(statement.orelse, top=top)
        if top and gone and statement.orelse and not gone_else:
            return False, [*cuts, *inner_else]
        if top and gone_else and not gone:
            return False, [*cuts, *inner]
        if not top and self.dead.spares_branches:
            return False, [*cuts, *inner, *inner_else]
        return gone or gone_else, [*cuts, *inner, *inner_else]

    def _import(self, node: ast.Import | ast.ImportFrom) -> tuple[bool, list[Cut]]:
        dead = [index for index, alias in enumerate(node.names) if self._is_dead_alias(node, alias)]
        if len(dead) == len(node.names):
            return self.dead.takes_functions, []
        return False, [ItemCut(node, node, index) for index in dead if self.dead.takes_functions]

    def _is_dead_alias(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
        if isinstance(node, ast.Import):
            return is_below(alias.name, self.dead.modules)
        base = node.module or ""
        if node.level:
            parts = self.dead.package.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
        return is_below(base, self.dead.modules) or f"{base}.{alias.name}" in self.dead.modules


def _asks_for_script(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _one_turn(body: Sequence[ast.stmt], index: int) -> list[Cut]:
    """The statements that are about the value of a name which `body` gives one value after another.

    The last comes first: what is left must still show that the value is dead.
    """
    match body[index]:
        case ast.Assign(targets=[ast.Name(id=name)]):
            bindings = [i for i, s in enumerate(body) if isinstance(s, ast.Assign) and bound_names(s) == (name,)]
        case _:
            return []
    if len(bindings) < 2:
        return []
    end = next((i for i in bindings if i > index), len(body))
    users = [s for s in body[index:end] if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s))]
    return [StatementCut(statement) for statement in reversed(users)]


def is_autouse(function: Function) -> bool:
    """Whether it is a fixture that every test gets."""
    return any(isinstance(d, ast.Call) and any(k.arg == "autouse" for k in d.keywords) for d in _fixtures(function))


def _annotations(function: Function) -> Iterator[ast.expr]:
    extra = (function.args.vararg, function.args.kwarg)
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs, *filter(None, extra))
    yield from (argument.annotation for argument in arguments if argument.annotation is not None)
    if function.returns is not None:
        yield function.returns


def _is_fixture(function: Function) -> bool:
    """Whether tests ask for it by name: an autouse fixture is asked for by none."""
    return any(True for _ in _fixtures(function)) and not is_autouse(function)


def _fixtures(function: Function) -> Iterator[ast.expr]:
    for decorator in function.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (dotted_name(call) or "").rpartition(".")[2] == "fixture":
            yield decorator


def _is_asked_for(statement: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
    """Whether the rest of a class of tests needs one of its statements, or the runner does without being told."""
    names = set(bound_names(statement))
    if isinstance(statement, Function) and _is_run_untold(statement):
        return True
    nodes = [node for other in rest for node in ast.walk(other)]
    asked = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    asked |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    asked |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return not names or not names.isdisjoint(asked)


def _is_run_untold(function: Function) -> bool:
    return bool(function.decorator_list) or function.name.startswith(("setup", "teardown"))


def _plain_text(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.List | ast.Tuple) and all(isinstance(e, ast.Constant) for e in value.elts)
    )


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _assigned(function: Function) -> frozenset[str]:
    """The names that a function binds itself."""
    return frozenset(
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
