-- One session in Neovim, played by tests/editors/test_neovim.py: an engineer edits a job, looks, mends, commits.
-- What could be seen goes to a file as JSON. Waits are for conditions; a condition that never comes ends the session.

local plan = vim.json.decode(table.concat(vim.fn.readfile(vim.env.KEEPSTATE_PLAN), "\n"))
local seen = { steps = {} }

local function finish(failure)
  seen.failure = failure
  vim.fn.writefile({ vim.json.encode(seen) }, plan.seen)
  vim.cmd("qa!")
end

local function wait_for(what, condition)
  table.insert(seen.steps, what)
  if not vim.wait(20000, condition, 20) then
    error("did not come: " .. what)
  end
end

local function findings()
  return vim.tbl_map(function(one)
    local text = vim.api.nvim_buf_get_text(0, one.lnum, one.col, one.end_lnum, one.end_col, {})
    return {
      line = one.lnum,
      column = one.col,
      severity = vim.diagnostic.severity[one.severity],
      code = one.code,
      message = one.message,
      text = table.concat(text, "\n"),
    }
  end, vim.diagnostic.get(0))
end

local function finding(code)
  for _, one in ipairs(findings()) do
    if one.code == code then
      return one
    end
  end
  error("no finding " .. code)
end

local function replace(old, new)
  local before = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local first, last = line:find(old, 1, true)
    if first then
      vim.api.nvim_buf_set_text(0, number - 1, first - 1, number - 1, last, { new })
      return
    end
  end
  error("not in the buffer: " .. old .. "\n" .. before)
end

local function put_cursor_on(code)
  local place = finding(code)
  vim.api.nvim_win_set_cursor(0, { place.line + 1, place.column })
end

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), "\n")
    end
  end
end

local function inlays()
  return vim.tbl_map(function(one)
    local place = one.inlay_hint.position
    local line = vim.api.nvim_buf_get_lines(0, place.line, place.line + 1, true)[1]
    return line:sub(1, place.character) .. " " .. one.inlay_hint.label
  end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
end

-- Runs a command of the documentation and takes down the text that it opens; then the file is there again.
local function text_of(command, name)
  vim.cmd(command)
  local opened
  wait_for(command, function()
    opened = vim.api.nvim_buf_get_name(0)
    return opened ~= plan.file and opened:find(name) ~= nil
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n") .. "\n"
  vim.cmd.edit(vim.fn.fnameescape(plan.file))
  return text
end

local function lenses()
  return vim.tbl_map(function(lens)
    return lens.command and lens.command.title or ""
  end, vim.lsp.codelens.get(0))
end

local function play()
  wait_for("the server", function()
    local client = vim.lsp.get_clients({ name = "keepstate", bufnr = 0 })[1]
    seen.encoding = client and client.offset_encoding
    return client and client.initialized
  end)
  for _, edit in ipairs(plan.edits) do
    replace(edit.old, edit.new)
  end
  wait_for("the findings", function()
    return #findings() == #plan.edits
  end)
  seen.findings = findings()

  wait_for("the code lenses", function()
    seen.lenses = lenses()
    return seen.lenses[1] ~= nil and seen.lenses[1]:find("finding", 1, true) ~= nil
  end)

  -- The key for a definition; without an answer Neovim would look for a file of tags.
  local before = vim.api.nvim_win_get_cursor(0)
  vim.api.nvim_win_set_cursor(0, plan.name)
  vim.api.nvim_feedkeys(vim.keycode("<C-]>"), "mx", false)
  wait_for("the definition", function()
    seen.definition = vim.api.nvim_win_get_cursor(0)
    return not vim.deep_equal(seen.definition, plan.name)
  end)
  vim.api.nvim_win_set_cursor(0, before)

  put_cursor_on(plan.hover)
  -- The key that the documentation names, as pressed.
  vim.api.nvim_feedkeys("K", "mx", false)
  wait_for("the hover", function()
    seen.hover = floating_text()
    return seen.hover ~= nil
  end)

  vim.api.nvim_feedkeys("grh", "mx", false)
  wait_for("the inlay hints", function()
    seen.inlays = inlays()
    return #seen.inlays > 0
  end)

  put_cursor_on(plan.fix.on)
  local mended = vim.api.nvim_buf_get_changedtick(0)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      seen.titles = seen.titles or {}
      table.insert(seen.titles, action.title)
      return action.title:find(plan.fix.title, 1, true) == 1
    end,
  })
  wait_for("the fix", function()
    return vim.api.nvim_buf_get_changedtick(0) ~= mended
  end)
  seen.mended = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  wait_for("the findings after the fix", function()
    return #findings() == #plan.edits - 1
  end)

  put_cursor_on(plan.hover)
  local accepted = finding(plan.hover).line
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title:find("^Accept .* here") ~= nil
    end,
  })
  wait_for("the cursor at the reason", function()
    local column = vim.api.nvim_win_get_cursor(0)[2]
    seen.reason = vim.api.nvim_get_current_line():sub(column + 1)
    return seen.reason:find("<say why>", 1, true) == 1
  end)
  vim.api.nvim_del_current_line()
  wait_for("the findings without the acceptance", function()
    return finding(plan.hover).line == accepted
  end)

  -- The text is not saved yet.
  put_cursor_on(plan.hover)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == "Plan a cutover..."
    end,
  })
  wait_for("the plan of a cutover", function()
    return vim.api.nvim_buf_get_name(0):find("PLAN%.md$") ~= nil
  end)
  seen.cutover = {
    page = vim.api.nvim_buf_get_name(0),
    text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n"),
  }
  vim.cmd.edit(vim.fn.fnameescape(plan.file))

  vim.cmd("silent write")
  seen.completed = vim.fn.getcompletion("Keepstate c", "cmdline")
  -- Nobody says where its rows are: refused before Spark is started.
  vim.notify = function(message)
    seen.notified = message
  end
  vim.cmd("Keepstate replay 2026-03-01 10:20")
  wait_for("the refusal", function()
    return seen.notified ~= nil
  end)
  seen.comparison = text_of("Keepstate compare", "%.diff$")
  seen.baseline = text_of("Keepstate baseline", "shop%..*%.sql$")
  seen.plan = text_of("Keepstate plan", "%.plan%.txt$")
  seen.report = text_of("Keepstate report", "%.md$")

  -- As a plugin for menus would have it.
  vim.ui.select = function(items, options, chosen)
    seen.baselines = vim.tbl_map(options.format_item, items)
    chosen(items[#items - 1])
  end
  vim.cmd("Keepstate choose")
  wait_for("the chosen baseline", function()
    seen.lenses_of_tag = lenses()
    return seen.lenses_of_tag[1] ~= nil and seen.lenses_of_tag[1]:find(plan.tag, 1, true) ~= nil
  end)
  vim.cmd("Keepstate choose HEAD")
  wait_for("the first baseline", function()
    local first = lenses()[1]
    return first ~= nil and first:find("HEAD", 1, true) ~= nil
  end)
  vim.cmd("Keepstate deployed")
  wait_for("the deployment", function()
    return vim.system(plan.deployed, { cwd = plan.folder }):wait().code == 0
  end)

  local commit = vim.system(plan.commit, { cwd = plan.folder }):wait()
  assert(commit.code == 0, commit.stderr)
  wait_for("the commit to count", function()
    return #findings() == 0
  end)
  wait_for("the code lenses after the commit", function()
    seen.lenses_after_commit = lenses()
    return seen.lenses_after_commit[1] ~= nil and seen.lenses_after_commit[1]:find("finding", 1, true) == nil
  end)

  vim.api.nvim_win_set_cursor(0, { plan.lens_line, 0 })
  vim.api.nvim_feedkeys("grl", "mx", false)
  wait_for("the comparison of two windows", function()
    local windows = vim.api.nvim_tabpage_list_wins(0)
    return #windows == 2 and vim.wo[windows[1]].diff and vim.wo[windows[2]].diff
  end)
  seen.windows = vim.tbl_map(function(window)
    local buffer = vim.api.nvim_win_get_buf(window)
    return {
      name = vim.api.nvim_buf_get_name(buffer),
      lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true),
      compares = vim.wo[window].diff,
      is_current = window == vim.api.nvim_get_current_win(),
    }
  end, vim.api.nvim_tabpage_list_wins(0))
end

local ok, failure = pcall(play)
finish(not ok and tostring(failure) or nil)
