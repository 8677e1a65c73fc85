-- A table that another file declares, in Neovim, played by tests/editors/test_several_files.py: the declaration is edited
-- with the job open beside it, and the edit is taken back. Waits are for conditions.

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

local function texts(buffer)
  return vim.tbl_map(function(one)
    return table.concat(vim.api.nvim_buf_get_text(buffer, one.lnum, one.col, one.end_lnum, one.end_col, {}), "\n")
  end, vim.diagnostic.get(buffer))
end

local function replace(buffer, old, new)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
    local first, last = line:find(old, 1, true)
    if first then
      vim.api.nvim_buf_set_text(buffer, number - 1, first - 1, number - 1, last, { new })
      return
    end
  end
  error("not in the buffer: " .. old)
end

local function has_server(buffer)
  return function()
    return #vim.lsp.get_clients({ bufnr = buffer }) > 0
  end
end

local ok, failure = pcall(function()
  local declaration = vim.api.nvim_get_current_buf()
  wait_for("server", has_server(declaration))
  vim.cmd("edit " .. plan.job)
  local job = vim.api.nvim_get_current_buf()
  wait_for("server of the job", has_server(job))

  replace(declaration, plan.old, plan.new)
  wait_for("finding at the declaration", function()
    return #vim.diagnostic.get(declaration) == 1
  end)
  wait_for("finding in the job", function()
    return #vim.diagnostic.get(job) == 1
  end)
  seen.declaration, seen.job = texts(declaration), texts(job)

  vim.api.nvim_win_set_cursor(0, { 3, 6 })
  vim.lsp.buf.definition()
  wait_for("definition", function()
    return vim.api.nvim_get_current_buf() == declaration
  end)
  seen.definition = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":t")

  replace(declaration, plan.new, plan.old)
  wait_for("nothing left", function()
    return #vim.diagnostic.get(declaration) == 0 and #vim.diagnostic.get(job) == 0
  end)
  seen.undone = { declaration = #vim.diagnostic.get(declaration), job = #vim.diagnostic.get(job) }
end)
finish(not ok and tostring(failure) or nil)
